package measure

import "strings"

// Repeats are the calls of the window after the cut that asked for what had
// been answered before it, in order.
func (w *Waster) Repeats() []Repeat {
	var out []Repeat
	for _, r := range w.found {
		if w.cut >= 0 && r.call >= w.cut && r.call < w.cut+WasteWindow && r.latest < w.cut && !r.forced {
			out = append(out, r)
		}
	}
	return out
}

// Of says how much of the continuation a candidate would have saved. Recall
// tells whether the candidate's recall gives back the earlier answers of a
// call; nil is a candidate without one. The control is the same count in
// windows of 50 calls without a compaction, of what was seen in the same
// context, so that the agent still had the answer before its eyes.
func (w *Waster) Of(h Held, recall func(Repeat) bool) Waste {
	var out Waste
	if w.cut >= 0 {
		out.Calls = min(WasteWindow, w.calls-w.cut)
	}
	lines := heldLines(h.Text)
	for _, r := range w.Repeats() {
		out.Repeated++
		if recall != nil && recall(r) || answers(h.Text, lines, r.Answer) {
			out.Answered++
		} else {
			out.Residual++
		}
	}
	out.ControlCalls, out.ControlRepeated = w.control()
	return out
}

// Controls are the repeats that the control counts.
func (w *Waster) Controls() []Repeat {
	var out []Repeat
	for _, r := range w.found {
		start, ok := w.window(r.call)
		if ok && r.latest < start && r.from == r.segment && !r.forced {
			out = append(out, r)
		}
	}
	return out
}

func (w *Waster) control() (calls, repeated int) {
	for i, start := range w.starts {
		end := w.calls
		if i+1 < len(w.starts) {
			end = w.starts[i+1]
		}
		calls += max(0, end-start-WasteWindow) / WasteWindow * WasteWindow
	}
	return calls, len(w.Controls())
}

// window gives the beginning of the window that a call is in, and false where
// it is in none that the control counts: the first after the session's
// beginning, a cut or a compaction, and one that such a place cuts off.
func (w *Waster) window(call int) (int, bool) {
	for i, start := range w.starts {
		end := w.calls
		if i+1 < len(w.starts) {
			end = w.starts[i+1]
		}
		if call >= start && call < end {
			from := start + (call-start)/WasteWindow*WasteWindow
			return from, from > start && from+WasteWindow <= end
		}
	}
	return 0, false
}

// heldLines are the lines of a text, as they are without numbers and indentation.
func heldLines(text string) map[string]bool {
	lines := make(map[string]bool, strings.Count(text, "\n")+1)
	for line := range strings.SplitSeq(text, "\n") {
		lines[strings.TrimSpace(withoutNumber(line))] = true
	}
	return lines
}

// answers tells whether a text holds an answer: every line of it, as a line, or
// within one where the answer is short. That a command said nothing no text holds.
func answers(text string, lines map[string]bool, answer string) bool {
	if strings.TrimSpace(answer) == "" {
		return false
	}
	short := strings.Count(answer, "\n") < 3
	for line := range strings.SplitSeq(answer, "\n") {
		line = strings.TrimSpace(withoutNumber(line))
		if line == "" || lines[line] || short && len(line) >= 7 && strings.Contains(text, line) {
			continue
		}
		return false
	}
	return true
}
