package memory_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/redact"
	"github.com/pith-memory/pith/restore"
)

func openBytes(data []byte) func(*pith.State) (io.ReadCloser, error) {
	return func(*pith.State) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
}

// blockTexts are the texts of all blocks, read by the way that `pith verify` goes.
func blockTexts(t *testing.T, data []byte, s *pith.State) map[string]string {
	t.Helper()
	next, err := memory.MessagesOf(bytes.NewReader(data), s)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for {
		m, err := next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range m.Blocks {
			b := &m.Blocks[i]
			if sha256.Sum256([]byte(b.Text)) == b.Hash {
				out[pith.Source{Message: m.Index, Block: i}.BlockKey()] = b.Text
			}
		}
	}
}

// recallAll recalls every item that blocks of several sizes dropped or
// shortened, and counts them.
func recallAll(t *testing.T, data []byte, o memory.ReadOptions) (items int) {
	t.Helper()
	r := compactAt(t, data, o)
	texts := blockTexts(t, data, r.State)
	recalled := map[string][]memory.Passage{}
	for _, budget := range []pith.Tokens{1000, 1500, 2500, 4000} {
		b := restore.Render(r.State, restore.Options{Budget: budget, Explain: true})
		for i := range b.Items {
			it := &b.Items[i]
			if it.Kept && !it.Shortened {
				continue
			}
			items++
			got, ok := recalled[it.Ref]
			if !ok {
				var err error
				if got, err = memory.Recall(context.Background(), memory.RecallRequest{State: r.State, Ref: it.Ref, Open: openBytes(data)}); err != nil {
					t.Errorf("%s item %q: recall %s: %v", it.Section, it.Text, it.Ref, err)
				}
				recalled[it.Ref] = got
			}
			checkRecalled(t, it, got, texts)
		}
		for _, d := range b.Drops {
			if !strings.Contains(b.Text, " "+d.Section+" ") {
				t.Errorf("the block does not name the section %s that it drops from", d.Section)
			}
		}
	}
	return items
}

// checkRecalled holds that all that an item rests on came back, word for word.
func checkRecalled(t *testing.T, it *restore.Item, got []memory.Passage, texts map[string]string) {
	t.Helper()
	if len(it.Sources) == 0 {
		t.Errorf("%s item %q was left out and has no source", it.Section, it.Text)
	}
	at := it.Sources
	if it.Shortened && it.ID == "" || strings.HasSuffix(it.Ref, at[0].BlockKey()) {
		at = at[:1]
	} else if len(at) > 1 && strings.HasSuffix(it.Ref, "/"+at[1].BlockKey()) {
		at = at[1:]
	}
	for _, source := range at {
		i := slices.IndexFunc(got, func(p memory.Passage) bool { return p.Source.BlockKey() == source.BlockKey() })
		if i < 0 {
			t.Errorf("%s item %q: %s does not give %s", it.Section, it.Text, it.Ref, source)
			continue
		}
		if p := got[i]; p.Text != texts[source.BlockKey()] || p.Status != memory.StatusOK {
			t.Errorf("%s item %q: %s is %s: %.80q, want %.80q", it.Section, it.Text, source, p.Status, p.Text, texts[source.BlockKey()])
		}
	}
}

// TestRecallEveryItem: what a block drops or shortens comes back, all of it.
func TestRecallEveryItem(t *testing.T) {
	total := 0
	for name, data := range sessions(t) {
		t.Run(name, func(t *testing.T) {
			n := recallAll(t, data, memory.ReadOptions{Name: name})
			for i := 1; i <= boundaries(t, data); i++ {
				n += recallAll(t, data, memory.ReadOptions{Name: name, Boundary: i})
			}
			total += n
		})
	}
	if total < 20 {
		t.Errorf("blocks left out %d items: this tested nothing", total)
	}
	t.Logf("%d items of blocks that were dropped or shortened, each recalled", total)
}

// TestRecallEveryItemOfTrajectories does the same for the formats that hold
// several sessions in a file, or one as a whole document.
func TestRecallEveryItemOfTrajectories(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "transcript", "testdata", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	if corpus := os.Getenv("PITH_CORPUS"); corpus != "" && !testing.Short() {
		for _, folder := range []string{"swe-agent", "mini-swe-agent", "openhands", "tau2-bench"} {
			more, err := filepath.Glob(filepath.Join(corpus, folder, "*.*"))
			if err != nil || len(more) == 0 {
				t.Fatalf("no sessions of %s (%v)", folder, err)
			}
			files = append(files, more...)
		}
	}
	total, read := 0, 0
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		opens := func(session string) bool {
			_, err := memory.New(memory.Config{}).Read(bytes.NewReader(data), memory.ReadOptions{Session: session})
			return err == nil
		}
		names := []string{""}
		if !opens("") { // it holds several
			names = nil
			for n := 1; n <= 100 && opens(strconv.Itoa(n)); n++ {
				names = append(names, strconv.Itoa(n))
			}
		}
		for _, session := range names {
			read++
			total += recallAll(t, data, memory.ReadOptions{Name: name, Session: session})
		}
	}
	t.Logf("%d items of %d sessions, each recalled", total, read)
	if read < 5 {
		t.Errorf("only %d sessions were read", read)
	}
}

const githubToken = "ghp_" + "a8K2mQ9xZ4vB7nL1pR6tW3yC5dF0gH2jS8kM"

// secretSession holds two secrets, the second in a long result.
func secretSession() []byte {
	return []byte(row("user", "Deploy it. The old token was sk-ant-api03-"+strings.Repeat("Zx9", 30)+"AA, never use it.", 0) +
		call("printenv", "HOME=/root\nGITHUB_TOKEN="+githubToken+"\n"+strings.Repeat("LINE=of output\n", 200), true, 1))
}

// TestRecallRedacts: a secret is not given back, and its marker has the number
// that it has in the state, so that the hash is the same.
func TestRecallRedacts(t *testing.T) {
	data := secretSession()
	r := compactAt(t, data, memory.ReadOptions{Name: "s.jsonl"})
	seen := false
	for key := range r.State.Blocks {
		got, err := memory.Recall(context.Background(), memory.RecallRequest{State: r.State, Ref: key, Open: openBytes(data)})
		if err != nil || len(got) != 1 {
			t.Fatalf("recall %s: %v, %v", key, got, err)
		}
		p := got[0]
		if strings.Contains(p.Text, githubToken) || len(redact.Scan(p.Text)) > 0 {
			t.Errorf("%s gives a secret back: %s", key, p.Text)
		}
		if p.Status != memory.StatusOK {
			t.Errorf("%s is %s", key, p.Status)
		}
		seen = seen || strings.Contains(p.Text, "[REDACTED:") && strings.Contains(p.Text, ":2]")
	}
	if !seen {
		t.Error("no block holds the second secret's marker: this tested nothing")
	}
}

// TestRecallFromWhatChanged: a transcript that is gone, is another, is cut or
// was changed says so.
func TestRecallFromWhatChanged(t *testing.T) {
	data := []byte(row("user", "Add a parser for ISO dates.", 0) + call("go test ./...", "--- FAIL: TestISO (0.00s)\nFAIL\texample.test/dates", true, 1) +
		row("user", "Never touch the lexer.", 5) + call("go vet ./...", "vet: dates.go:3:1: missing return", true, 6))
	r := compactAt(t, data, memory.ReadOptions{Name: "dates.jsonl"})
	ask := func(key string, open func(*pith.State) (io.ReadCloser, error)) ([]memory.Passage, error) {
		return memory.Recall(context.Background(), memory.RecallRequest{State: r.State, Ref: key, Open: open})
	}
	wantMoved := func(what string, err error) {
		t.Helper()
		if pith.KindOf(err) != pith.KindInput || !strings.Contains(pith.HintOf(err), "--transcript") {
			t.Errorf("%s: %v (hint %q)", what, err, pith.HintOf(err))
		}
	}
	_, err := ask("0.0", func(*pith.State) (io.ReadCloser, error) { return nil, fs.ErrNotExist })
	wantMoved("a file that is gone", err)
	_, err = ask("0.0", openBytes([]byte(row("user", "Another session altogether.", 0)+call("ls", "no such file", true, 1))))
	wantMoved("another session", err)
	_, err = ask("evidence", openBytes(data))
	if pith.KindOf(err) != pith.KindUsage {
		t.Errorf("a key that is none: %v", err)
	}
	last := lastSource(r.State)
	_, err = ask(last.BlockKey(), openBytes(data[:bytes.LastIndex(data[:len(data)-2], []byte("\n"))+1]))
	wantMoved("a file that was cut", err)
	changed := bytes.Replace(data, []byte("missing return"), []byte("missing income"), 1)
	got, err := ask(last.BlockKey(), openBytes(changed))
	if err != nil || len(got) != 1 || got[0].Status != memory.StatusChanged || !strings.Contains(got[0].Text, "missing income") {
		t.Errorf("a block that was changed: %+v, %v", got, err)
	}
	if got, err = ask("0.0", openBytes(changed)); err != nil || got[0].Status != memory.StatusOK {
		t.Errorf("a block before the change: %+v, %v", got, err)
	}
}

func lastSource(s *pith.State) pith.Source {
	var last pith.Source
	for key := range s.Blocks {
		if at, err := pith.ParseSource(key); err == nil && last.Before(at) {
			last = at
		}
	}
	return last
}

// TestRecallThroughAChain: what was said before the messages that a state was
// made from is in the transcript of an earlier checkpoint.
func TestRecallThroughAChain(t *testing.T) {
	first := []byte(row("user", "Add a parser for ISO dates. Never touch the lexer.", 0) + call("go test ./...", "--- FAIL: TestISO (0.00s)\nFAIL\texample.test/dates", true, 1))
	second := []byte(row("user", "Now document it.", 10) + call("go vet ./...", "vet: dates.go:3:1: missing return", true, 11))
	a := link(t, first, nil, nil)
	b := link(t, second, a.State, nil)
	if b.State.Checkpoint.FromMessage == 0 {
		t.Fatal("the second part was not numbered on")
	}
	request := memory.RecallRequest{
		State: b.State,
		Open: func(s *pith.State) (io.ReadCloser, error) {
			if s.Checkpoint.ID == a.State.Checkpoint.ID {
				return openBytes(first)(s)
			}
			return openBytes(second)(s)
		},
		Parent: func(id string) (*pith.Saved, error) {
			if id != a.State.Checkpoint.ID {
				return nil, pith.ErrNotFound
			}
			return &pith.Saved{State: a.State}, nil
		},
	}
	for key, want := range map[string]string{
		"constraints": "Never touch the lexer", "goal": "Add a parser", "failures": "missing return",
		a.State.Checkpoint.ID[:8] + "/0.0": "Add a parser", lastSource(b.State).BlockKey(): "missing return",
	} {
		request.Ref = key
		got, err := memory.Recall(context.Background(), request)
		if err != nil || !slices.ContainsFunc(got, func(p memory.Passage) bool { return strings.Contains(p.Text, want) && p.Status == memory.StatusOK }) {
			t.Errorf("recall %s: %+v, %v", key, got, err)
		}
	}
	request.Ref, request.Parent = "goal", nil
	if got, err := memory.Recall(context.Background(), request); err == nil {
		t.Errorf("without a store, what came before was found: %+v", got)
	}
}

// shelf is an archive in memory.
type shelf struct{ blocks []pith.ArchivedBlock }

func (a *shelf) PutBlocks(_ context.Context, _ string, blocks []pith.ArchivedBlock) error {
	a.blocks = append(a.blocks, blocks...)
	return nil
}

func (a *shelf) EachBlock(_ context.Context, _ string, f func(*pith.ArchivedBlock) error) error {
	for i := range a.blocks {
		if err := f(&a.blocks[i]); err != nil {
			return err
		}
	}
	return nil
}

func (a *shelf) Prune(context.Context, time.Time) (int, error) { return 0, nil }

// TestRecallFromTheArchive: a session without a file is recalled from what was
// kept of it, which holds no secret.
func TestRecallFromTheArchive(t *testing.T) {
	data := secretSession()
	r := compactAt(t, data, memory.ReadOptions{})
	var a shelf
	if err := memory.ArchiveBlocks(context.Background(), &a, r.State, bytes.NewReader(data)); err != nil {
		t.Fatal(err)
	}
	for i := range a.blocks {
		if strings.Contains(a.blocks[i].Text, githubToken) {
			t.Error("a secret was archived")
		}
	}
	for key := range r.State.Blocks {
		got, err := memory.Recall(context.Background(), memory.RecallRequest{State: r.State, Ref: key, Archive: &a})
		if err != nil || len(got) != 1 || got[0].Status != memory.StatusOK {
			t.Errorf("recall %s: %+v, %v", key, got, err)
		}
	}
	_, err := memory.Recall(context.Background(), memory.RecallRequest{State: r.State, Ref: "0.0", Archive: &shelf{}})
	if pith.KindOf(err) != pith.KindInput {
		t.Errorf("an empty archive: %v", err)
	}
}

// TestPassages: a search sees each text of a session once, in order, redacted,
// and counts turns as the state does.
func TestPassages(t *testing.T) {
	named := 0
	for name, data := range sessions(t) {
		t.Run(name, func(t *testing.T) {
			s := compactAt(t, data, memory.ReadOptions{Name: name}).State
			texts := blockTexts(t, data, s)
			next, err := memory.Passages(bytes.NewReader(data), memory.NumberingOf(s))
			if err != nil {
				t.Fatal(err)
			}
			last, turn := pith.Source{Message: pith.SystemIndex - 1}, 0
			for {
				p, err := next()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				if !last.Before(p.Source) || p.Text != texts[p.Ref] {
					t.Errorf("passage %s behind %s: %.80q, want %.80q", p.Source, last, p.Text, texts[p.Ref])
				}
				delete(texts, p.Ref)
				last, turn = p.Source, max(turn, p.Turn)
				if p.Kind == pith.KindToolResult && p.Tool != "" {
					named++
				}
			}
			for key, text := range texts {
				if text != "" {
					t.Errorf("no passage has block %s: %.80q", key, text)
				}
			}
			if turn != s.Checkpoint.CompactedAtTurn {
				t.Errorf("the last turn is %d, that of the state %d", turn, s.Checkpoint.CompactedAtTurn)
			}
		})
	}
	if named == 0 {
		t.Error("no result knows its tool")
	}
}
