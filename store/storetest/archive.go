package storetest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pith-memory/pith"
)

// RunArchive holds an archive against the contract. open gives another handle
// on the same data.
func RunArchive(t *testing.T, fresh func(t *testing.T) (open func() pith.Archive)) {
	for _, c := range []struct {
		name string
		test func(t *testing.T, open func() pith.Archive)
	}{
		{"RoundTrip", testBlocks},
		{"Again", testBlocksAgain},
		{"Sessions", testBlocksOfSessions},
		{"Stop", testBlocksStop},
		{"Prune", testPrune},
		{"Many", testBlocksOfMany},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, fresh(t)) })
	}
}

// block makes one of message m, whose text may be that of others.
func block(m, b int, text string) pith.ArchivedBlock {
	return pith.ArchivedBlock{
		Message: m, Block: b, Role: pith.RoleUser, Kind: pith.KindToolResult, Tool: "shell", Call: fmt.Sprint("call-", m), Origin: pith.ToolOutput,
		Time: time.Date(2026, 3, 4, 5, 6, 7, 891000000, time.UTC), Text: text, Hash: sha256.Sum256([]byte(text)),
	}
}

func blocks(from, n int) []pith.ArchivedBlock {
	out := make([]pith.ArchivedBlock, n)
	for i := range out {
		m := from + i
		out[i] = block(m, i%2, fmt.Sprint("output of run ", m%5, strings.Repeat("\nok  \t<a & b> \u4f1a", m%5)))
	}
	return out
}

func putBlocks(t *testing.T, a pith.Archive, session string, b []pith.ArchivedBlock) {
	t.Helper()
	if err := a.PutBlocks(t.Context(), session, b); err != nil {
		t.Fatal(err)
	}
}

func wantBlocks(t *testing.T, a pith.Archive, session string, want []pith.ArchivedBlock) {
	t.Helper()
	var got []pith.ArchivedBlock
	err := a.EachBlock(t.Context(), session, func(b *pith.ArchivedBlock) error {
		got = append(got, *b)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Fatalf("%d blocks, want %d", len(got), len(want))
	}
	for i := range got {
		if !got[i].Time.Equal(want[i].Time) {
			t.Errorf("block %d of %v, want %v", i, got[i].Time, want[i].Time)
		}
		got[i].Time = want[i].Time
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Errorf("block %d is %+v, want %+v", i, got[i], want[i])
		}
	}
}

func testBlocks(t *testing.T, open func() pith.Archive) {
	a := open()
	all := blocks(0, 40)
	all[3].Agent, all[3].Role, all[3].Time = "sub-1", pith.RoleAssistant, time.Time{}
	all[4] = block(4, 0, "")
	all[4].Call = "" // as of what was archived before calls were
	all[5] = block(5, 0, strings.Repeat("a long line ", 50_000))
	putBlocks(t, a, "s", all[20:])
	putBlocks(t, a, "s", all[:20])
	wantBlocks(t, a, "s", all)
	wantBlocks(t, open(), "s", all)
}

// testBlocksAgain holds that a conversation may be put again and again, as it grows.
func testBlocksAgain(t *testing.T, open func() pith.Archive) {
	a := open()
	all := blocks(0, 30)
	for n := 10; n <= 30; n += 10 {
		putBlocks(t, a, "s", all[:n])
	}
	putBlocks(t, a, "s", nil)
	wantBlocks(t, a, "s", all)
}

func testBlocksOfSessions(t *testing.T, open func() pith.Archive) {
	a := open()
	wantBlocks(t, a, "none", nil)
	for i, session := range Sessions {
		putBlocks(t, a, session, blocks(i, 2))
	}
	for i, session := range Sessions {
		wantBlocks(t, a, session, blocks(i, 2))
	}
	forgetter, ok := a.(pith.Forgetter)
	if !ok {
		return
	}
	if _, err := forgetter.Forget(t.Context(), "../x"); err != nil && !errors.Is(err, pith.ErrNotFound) {
		t.Error(err)
	}
	wantBlocks(t, a, "../x", nil)
	wantBlocks(t, open(), "plain", blocks(0, 2))
}

func testBlocksStop(t *testing.T, open func() pith.Archive) {
	a := open()
	putBlocks(t, a, "s", blocks(0, 5))
	enough, n := errors.New("enough"), 0
	err := a.EachBlock(t.Context(), "s", func(*pith.ArchivedBlock) error {
		if n++; n == 2 {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) || n != 2 {
		t.Errorf("%d calls, %v", n, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := a.PutBlocks(ctx, "s", blocks(5, 5)); !errors.Is(err, context.Canceled) {
		t.Errorf("PutBlocks after the context was cancelled: %v", err)
	}
	wantBlocks(t, a, "s", blocks(0, 5))
}

// testPrune holds that age counts from when a block was put, and that what a
// younger block shares with an older one stays.
func testPrune(t *testing.T, open func() pith.Archive) {
	a := open()
	old, young := blocks(0, 10), blocks(10, 10)
	putBlocks(t, a, "s", old)
	putBlocks(t, a, "gone", old[:3])
	time.Sleep(20 * time.Millisecond)
	between := time.Now()
	time.Sleep(20 * time.Millisecond)
	putBlocks(t, a, "s", young)
	if n, err := a.Prune(t.Context(), between.Add(-time.Hour)); err != nil || n != 0 {
		t.Errorf("pruned %d too early, %v", n, err)
	}
	wantBlocks(t, a, "s", slices.Concat(old, young))
	if n, err := a.Prune(t.Context(), between); err != nil || n != 13 {
		t.Errorf("pruned %d, want 13, %v", n, err)
	}
	wantBlocks(t, a, "s", young)
	wantBlocks(t, a, "gone", nil)
	wantBlocks(t, open(), "s", young)
	putBlocks(t, a, "s", old)
	wantBlocks(t, a, "s", slices.Concat(old, young))
}

func testBlocksOfMany(t *testing.T, open func() pith.Archive) {
	handles := []pith.Archive{open(), open()}
	all := blocks(0, workers)
	for _, err := range together(func(i int) error {
		return handles[i%len(handles)].PutBlocks(t.Context(), "s", all[max(0, i-3):i+1])
	}) {
		if err != nil {
			t.Error(err)
		}
	}
	wantBlocks(t, open(), "s", all)
}
