package compactor

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// answer is a draft as models write it: with the few names that they use for
// our fields, texts where objects are wanted, and an object where a list is.
// Fields that it does not know are ignored.
type answer struct {
	Task         looseText      `json:"task"`
	Goal         looseText      `json:"goal"`
	CurrentState looseText      `json:"current_state"`
	WorkType     looseText      `json:"work_type"`
	Phase        looseText      `json:"phase"`
	KeyDecisions looseDecisions `json:"key_decisions"`
	Decisions    looseDecisions `json:"decisions"`
	Eliminated   looseApproach  `json:"eliminated_approaches"`
	Questions    looseTexts     `json:"open_questions"`
	NextSteps    looseTexts     `json:"next_steps"`
	NextAction   looseTexts     `json:"next_action"`
	ToolResults  looseResults   `json:"relevant_tool_results"`
	Constraints  looseTexts     `json:"constraints"`
	Approvals    looseTexts     `json:"approvals"`
}

// answerFields are the names of the fields above: an object with none of them
// is no draft.
var answerFields = [...]string{
	"task", "goal", "current_state", "work_type", "phase", "key_decisions", "decisions", "eliminated_approaches",
	"open_questions", "next_steps", "next_action", "relevant_tool_results", "constraints", "approvals",
}

// draft takes each field under its own name, else under the other one.
func (a *answer) draft() *Draft {
	d := &Draft{
		Task: string(a.Task), CurrentState: string(a.CurrentState), WorkType: string(a.WorkType), Phase: string(a.Phase),
		KeyDecisions: a.KeyDecisions, EliminatedApproaches: a.Eliminated, OpenQuestions: a.Questions, NextSteps: a.NextSteps,
		ToolResults: a.ToolResults, Constraints: a.Constraints, Approvals: a.Approvals,
	}
	if d.Task == "" {
		d.Task = string(a.Goal)
	}
	if len(d.KeyDecisions) == 0 {
		d.KeyDecisions = a.Decisions
	}
	if len(d.NextSteps) == 0 {
		d.NextSteps = a.NextAction
	}
	return d
}

var errNoText = errors.New("a text is wanted")

// first is the first byte of a JSON value.
func first(b []byte) byte {
	b = bytes.TrimLeft(b, " \t\r\n")
	if len(b) == 0 {
		return 0
	}
	return b[0]
}

// looseText is a text, a number, null, or a list of texts, which becomes lines.
type looseText string

func (t *looseText) UnmarshalJSON(b []byte) error {
	switch c := first(b); {
	case c == 'n':
		return nil
	case c == '"':
		return json.Unmarshal(b, (*string)(t))
	case c == '[':
		var list []looseText
		if err := json.Unmarshal(b, &list); err != nil {
			return err
		}
		lines := make([]string, len(list))
		for i := range list {
			lines[i] = string(list[i])
		}
		*t = looseText(strings.Join(lines, "\n"))
		return nil
	case c == '-' || c >= '0' && c <= '9':
		*t = looseText(bytes.TrimSpace(b))
		return nil
	}
	return errNoText
}

// each calls f with every element of a list, or with a value that is no list.
func each(b []byte, f func(json.RawMessage) error) error {
	if first(b) == 'n' {
		return nil
	}
	if first(b) != '[' {
		return f(b)
	}
	var list []json.RawMessage
	if err := json.Unmarshal(b, &list); err != nil {
		return err
	}
	for _, x := range list {
		if err := f(x); err != nil {
			return err
		}
	}
	return nil
}

// looseTexts is a list of texts, one text, or a list of objects that hold one.
type looseTexts []string

func (t *looseTexts) UnmarshalJSON(b []byte) error {
	return each(b, func(x json.RawMessage) error {
		var text looseText
		if first(x) == '{' {
			var o struct {
				Text, Step, Question, Action, Description, Constraint, Approval looseText
			}
			if err := json.Unmarshal(x, &o); err != nil {
				return err
			}
			for _, s := range [...]looseText{o.Text, o.Step, o.Question, o.Action, o.Description, o.Constraint, o.Approval} {
				if s != "" {
					text = s
					break
				}
			}
			if text == "" {
				return errNoText
			}
		} else if err := json.Unmarshal(x, &text); err != nil {
			return err
		}
		if text != "" {
			*t = append(*t, string(text))
		}
		return nil
	})
}

// looseDecisions is a list of decisions or of texts.
type looseDecisions []Decision

func (d *looseDecisions) UnmarshalJSON(b []byte) error {
	return each(b, func(x json.RawMessage) error {
		var o struct {
			Decision, Text, Reason, Rationale, Constraint looseText
		}
		if first(x) == '{' {
			if err := json.Unmarshal(x, &o); err != nil {
				return err
			}
		} else if err := json.Unmarshal(x, &o.Decision); err != nil {
			return err
		}
		if o.Decision == "" {
			o.Decision = o.Text
		}
		if o.Reason == "" {
			o.Reason = o.Rationale
		}
		if o.Decision != "" {
			*d = append(*d, Decision{string(o.Decision), string(o.Reason), string(o.Constraint)})
		}
		return nil
	})
}

// looseApproach is a list of approaches or of texts.
type looseApproach []Eliminated

func (a *looseApproach) UnmarshalJSON(b []byte) error {
	return each(b, func(x json.RawMessage) error {
		var o struct {
			Approach, Text, Reason looseText
			RuledOut               looseText `json:"reason_ruled_out"`
		}
		if first(x) == '{' {
			if err := json.Unmarshal(x, &o); err != nil {
				return err
			}
		} else if err := json.Unmarshal(x, &o.Approach); err != nil {
			return err
		}
		if o.Approach == "" {
			o.Approach = o.Text
		}
		if o.RuledOut == "" {
			o.RuledOut = o.Reason
		}
		if o.Approach != "" {
			*a = append(*a, Eliminated{string(o.Approach), string(o.RuledOut)})
		}
		return nil
	})
}

// looseResults is a list of results, or an object of names and results in the
// order that it is written in.
type looseResults []ToolResult

func (r *looseResults) UnmarshalJSON(b []byte) error {
	if first(b) == '{' {
		return r.object(b)
	}
	return each(b, func(x json.RawMessage) error {
		var o struct {
			Name, Tool, Result, Text looseText
		}
		if first(x) == '{' {
			if err := json.Unmarshal(x, &o); err != nil {
				return err
			}
		} else if err := json.Unmarshal(x, &o.Result); err != nil {
			return err
		}
		if o.Name == "" {
			o.Name = o.Tool
		}
		if o.Result == "" {
			o.Result = o.Text
		}
		r.add(string(o.Name), string(o.Result))
		return nil
	})
}

func (r *looseResults) object(b []byte) error {
	d := json.NewDecoder(bytes.NewReader(b))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		var text looseText
		if err := json.Unmarshal(value, &text); err != nil {
			text = looseText(value) // an object as it is: what it says is there
		}
		r.add(fmt.Sprint(name), string(text))
	}
	return nil
}

// add keeps a result; one without a name is named by its number.
func (r *looseResults) add(name, result string) {
	if result == "" {
		return
	}
	if name == "" {
		name = fmt.Sprintf("result %d", len(*r)+1)
	}
	*r = append(*r, ToolResult{Name: name, Result: result})
}
