package measure_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/measure"
	"github.com/pith-memory/pith/transcript"
)

// claudeRows is a small Claude Code session: n turns with a call each.
func claudeRows(n int) []byte {
	var b bytes.Buffer
	row := func(v any) {
		line, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		b.Write(append(line, '\n'))
	}
	type m = map[string]any
	for i := range n {
		id := fmt.Sprint("call-", i)
		row(m{"type": "user", "uuid": fmt.Sprint("u", i), "cwd": "/r", "sessionId": "s", "message": m{"role": "user", "content": fmt.Sprintf("Step %d: say \"hi\"\tand go on…", i)}})
		row(m{"type": "assistant", "uuid": fmt.Sprint("a", i), "cwd": "/r", "sessionId": "s", "message": m{"id": fmt.Sprint("m", i), "role": "assistant", "content": []m{
			{"type": "tool_use", "id": id, "name": "Bash", "input": m{"command": "ls"}},
		}}})
		row(m{"type": "user", "uuid": fmt.Sprint("r", i), "cwd": "/r", "sessionId": "s", "toolUseResult": m{"stdout": "a\nb"}, "message": m{"role": "user", "content": []m{
			{"type": "tool_result", "tool_use_id": id, "content": []m{{"type": "text", "text": "a\nb"}}},
		}}})
	}
	b.WriteString("{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"torn\n")
	return b.Bytes()
}

func textsOf(t *testing.T, data []byte) (all string, records []pith.Record) {
	d, err := transcript.NewDecoder(bytes.NewReader(data), transcript.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for {
		r, err := d.Next()
		if errors.Is(err, io.EOF) {
			return b.String(), records
		}
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
		if r.Message != nil {
			for _, block := range r.Message.Blocks {
				b.WriteString(block.Text + "\n")
			}
		}
	}
}

// TestPlantRowsReachTheRecords holds that all that is planted comes out of the decoder.
func TestPlantRowsReachTheRecords(t *testing.T) {
	data := claudeRows(40)
	planted, plan := measure.PlantRows(11, 12, data)
	if again, _ := measure.PlantRows(11, 12, data); !bytes.Equal(planted, again) {
		t.Error("the same seed plants something else")
	}
	if other, _ := measure.PlantRows(12, 12, data); bytes.Equal(planted, other) {
		t.Error("another seed plants the same")
	}
	all, _ := textsOf(t, planted)
	if len(plan.Texts()) != 36 {
		t.Errorf("%d sentences are planted", len(plan.Texts()))
	}
	rest := string(planted)
	for _, s := range plan.Texts() {
		if !strings.Contains(all, s) {
			t.Errorf("%q is not in the records", s)
		}
		rest = strings.Replace(rest, `\n`+s, "", 1)
	}
	if rest != string(data) {
		t.Error("bytes other than the planted ones changed")
	}
	p := plan.Of(measure.Held{Text: all}, nil)
	if p.Needles.Found != 12 || p.Needles.Of != 12 || p.Rules.Found != 12 || p.Rules.Of != 12 || p.Promoted != 0 || p.Seed != 11 {
		t.Errorf("%+v", p)
	}
	if p := plan.Of(measure.Held{Text: "nothing"}, nil); p.Needles.Found != 0 || p.Rules.Found != 0 || len(p.Needles.Missed) != 12 {
		t.Errorf("in a text without any: %+v", p)
	}
}

// TestPlantRecords holds the same for a stream of records, which stays as it was.
func TestPlantRecords(t *testing.T) {
	_, records := textsOf(t, claudeRows(40))
	before, _ := json.Marshal(records)
	var places measure.Places
	for _, r := range records {
		places.Count(r)
	}
	if places.Turns != 40 || places.Outputs != 40 {
		t.Fatalf("%+v", places)
	}
	plan := measure.Plant(5, 10, places)
	o := measure.NewObserver()
	half := measure.NewObserver()
	for i, r := range records {
		r = plan.Record(r)
		o.Record(r)
		if i < len(records)/2 {
			half.Record(r)
		}
	}
	for _, s := range plan.Texts() {
		if !o.Seen(s) {
			t.Errorf("%q is not in the records", s)
		}
	}
	if after, _ := json.Marshal(records); !bytes.Equal(before, after) {
		t.Error("the records that came in changed")
	}
	if p := plan.Of(measure.Held{}, half.Seen); p.Rules.Of != 5 || p.Needles.Of < 4 || p.Needles.Of > 6 {
		t.Errorf("what comes after the cut is asked for: %+v", p)
	}
	deciles := map[int]bool{}
	for _, s := range plan.Survivals(measure.Held{}, nil) {
		if s.Kind == "rule" {
			deciles[s.Decile] = true
		}
	}
	grounds := map[string]bool{}
	for _, s := range measure.Plant(5, 12, places).Survivals(measure.Held{}, nil) {
		if s.Kind != "rule" {
			grounds[s.Kind+" "+s.Where] = true
		}
	}
	if len(grounds) != 12 {
		t.Errorf("not every kind of needle is in both grounds: %v", grounds)
	}
	if len(deciles) != 10 {
		t.Errorf("rules stand in %d tenths of the session", len(deciles))
	}
}

// TestPlantPromotion holds that an order in an output that became a rule shows.
func TestPlantPromotion(t *testing.T) {
	plan := measure.Plant(3, 2, measure.Places{Turns: 4, Outputs: 4})
	var orders, rules []string
	for _, s := range plan.Texts() {
		if strings.Contains(s, "order-") {
			orders = append(orders, s)
		} else if strings.Contains(s, "rule-") {
			rules = append(rules, s)
		}
	}
	s := &pith.State{Evidence: []pith.Evidence{{Command: orders[0]}}}
	if p := plan.Of(measure.Held{State: s}, nil); p.Promoted != 0 {
		t.Errorf("a quoted order counts as promoted: %+v", p)
	}
	s.Constraints = []pith.Constraint{{Text: orders[0]}, {Text: rules[0]}}
	if p := plan.Of(measure.Held{State: s}, nil); p.Promoted != 1 || p.Rules.Found != 1 || p.Rules.Of != 2 {
		t.Errorf("%+v", p)
	}
	if p := plan.Of(measure.Held{Text: "## Goal\n" + orders[1] + "\n## Files\n" + orders[0]}, nil); p.Promoted != 1 {
		t.Errorf("in a text: %+v", p)
	}
}

// TestPlantNeedsValueAndName holds that half a needle is none.
func TestPlantNeedsValueAndName(t *testing.T) {
	plan := measure.Plant(9, 6, measure.Places{Outputs: 6})
	for _, s := range plan.Texts() {
		if !strings.Contains(s, "needle-") {
			continue
		}
		name := s[strings.Index(s, "needle-"):][:len("needle-01234567")]
		found := func(text string) int { return plan.Of(measure.Held{Text: text}, nil).Needles.Found }
		if found(s) != 1 || found(name) != 0 || found(name+strings.Repeat(" x", 300)+strings.Replace(s, name, "", 1)) > 1 {
			t.Errorf("%q: %d with all, %d with its name alone", s, found(s), found(name))
		}
	}
}

func TestPlantIsSpread(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 30).Draw(t, "n")
		at := measure.Places{Turns: rapid.IntRange(0, 50).Draw(t, "turns"), Outputs: rapid.IntRange(0, 50).Draw(t, "outputs")}
		seed := rapid.Uint64().Draw(t, "seed")
		plan := measure.Plant(seed, n, at)
		want := 0
		if at.Turns+at.Outputs > 0 {
			want += n
		}
		if at.Turns > 0 {
			want += n
		}
		if at.Outputs > 0 {
			want += n
		}
		if got := plan.Texts(); len(got) != want || !reflect.DeepEqual(got, measure.Plant(seed, n, at).Texts()) {
			t.Fatalf("%d sentences, want %d", len(got), want)
		}
		seen := map[string]bool{}
		for _, s := range plan.Texts() {
			if seen[s] {
				t.Fatalf("%q twice", s)
			}
			seen[s] = true
		}
	})
}

// FuzzPlantRows holds that a row stays valid JSON and means the same but for
// what was added, and that no input ends the program.
func FuzzPlantRows(f *testing.F) {
	for line := range bytes.Lines(claudeRows(1)) {
		f.Add(line)
	}
	f.Add([]byte(`{"type":"user","isMeta":true,"message":{"role":"user","content":"x"}}`))
	f.Add([]byte(`{"message":{"content":[{"content":"é\\","type":"tool_result","is_error":false},{"text":"\"","type":"text"}],"role":"user"},"type":"user"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		planted, plan := measure.PlantRows(1, 3, data)
		if len(planted) < len(data) || len(plan.Texts()) == 0 && !bytes.Equal(planted, data) {
			t.Fatal("bytes were lost")
		}
		before, after := bytes.Split(data, []byte("\n")), bytes.Split(planted, []byte("\n"))
		if len(before) != len(after) {
			t.Fatal("the number of rows changed")
		}
		all := string(planted)
		for i := range before {
			if json.Valid(before[i]) != json.Valid(after[i]) {
				t.Fatalf("row %q became %q", before[i], after[i])
			}
		}
		for _, s := range plan.Texts() {
			if !strings.Contains(all, s) {
				t.Fatalf("%q is missing", s)
			}
			all = strings.Replace(all, `\n`+s, "", 1)
		}
		if all != string(data) {
			t.Fatalf("taken out again it is %q", all)
		}
	})
}

// TestPlantOnCorpus holds on real sessions that all that is planted comes out of
// the decoder, and that it reads as many records.
func TestPlantOnCorpus(t *testing.T) {
	for _, files := range corpus(t) {
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			planted, plan := measure.PlantRows(1, 20, data)
			_, before := textsOf(t, data)
			all, after := textsOf(t, planted)
			missing := 0
			for _, s := range plan.Texts() {
				if !strings.Contains(all, s) {
					missing++
				}
			}
			t.Logf("%s: %d sentences, %d missing", filepath.Base(file), len(plan.Texts()), missing)
			if missing > 0 || len(before) != len(after) {
				t.Errorf("%s: %d of %d are missing, %d records became %d", filepath.Base(file), missing, len(plan.Texts()), len(before), len(after))
			}
		}
	}
}

// TestPlantRowsOfOtherClients holds where the texts of Codex and pi take more.
func TestPlantRowsOfOtherClients(t *testing.T) {
	tests := []struct {
		name, row      string
		turns, outputs int
	}{
		{"Codex's turn", `{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"fix it"}]}}`, 1, 0},
		{"Codex's surroundings", `{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>\n</environment_context>"}]}}`, 0, 0},
		{"Codex's list of texts", `{"type":"event_msg","payload":{"type":"user_message","role":"user","message":"fix it"}}`, 0, 0},
		{"Codex's output", `{"payload":{"output":"Output:\nok","type":"function_call_output","call_id":"1"},"type":"response_item"}`, 0, 1},
		{"Codex's output as JSON", `{"payload":{"output":"{\"output\":\"ok\"}","type":"function_call_output"},"type":"response_item"}`, 0, 0},
		{"pi's turn", `{"type":"message","message":{"role":"user","content":[{"type":"text","text":"fix it"}]}}`, 1, 0},
		{"pi's output", `{"type":"message","message":{"role":"toolResult","content":[{"type":"text","text":"fine"}],"isError":false}}`, 0, 1},
		{"pi's failure", `{"type":"message","message":{"role":"toolResult","content":[{"type":"text","text":"bad"}],"isError":true}}`, 0, 0},
		{"Claude Code's side", `{"type":"user","isSidechain":true,"message":{"role":"user","content":"fix it"}}`, 0, 0},
		{"Claude Code's assistant", `{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"a \"user\""}]}}`, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			planted, plan := measure.PlantRows(4, 1, []byte(tt.row))
			got := string(planted)
			want := 0
			if tt.turns+tt.outputs > 0 {
				want = 2 // a needle, and a rule or an order
			}
			if len(plan.Texts()) != want || !json.Valid(planted) || (want == 0) != (got == tt.row) {
				t.Errorf("%q in %s", plan.Texts(), got)
			}
			if want > 0 && strings.Contains(got, "order-") != (tt.outputs > 0) {
				t.Errorf("in the wrong ground: %s", got)
			}
		})
	}
	sub := `{"type":"session_meta","payload":{"source":{"subagent":{}}}}` + "\n" + tests[0].row
	if planted, _ := measure.PlantRows(4, 1, []byte(sub)); string(planted) != sub {
		t.Errorf("another agent's words are planted as a user's: %s", planted)
	}
}

func BenchmarkPlantRows(b *testing.B) {
	data := claudeRows(10000)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		measure.PlantRows(1, 50, data)
	}
}
