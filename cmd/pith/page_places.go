package main

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/pith-memory/pith"
)

// placeFile is a session's file with the places that lost facts stand at.
type placeFile struct {
	Name   string
	Word   string // the file's name for a shell, "" where it has none that is safe to show
	Places []*place
}

// place is one message, or one line of a file.
type place struct {
	ID      int
	File    *placeFile
	Session string
	Message int
	Line    int
	Items   []*lostItem
	More    int // items that the list of the place leaves out
}

// Label is a place as one says it.
func (p *place) Label() string {
	label := "message " + strconv.Itoa(p.Message)
	if p.Message == pith.SystemIndex {
		label = "system prompt"
	}
	if p.Line > 0 {
		label += ", line " + strconv.Itoa(p.Line)
	}
	return label
}

// Show is a command that prints the row of the transcript.
func (p *place) Show() string {
	if p.Line <= 0 || p.File.Word == "" {
		return ""
	}
	return "sed -n " + strconv.Itoa(p.Line) + "p " + p.File.Word
}

// Recall is a command that prints the message's first block as pith reads it.
func (p *place) Recall() string {
	if p.Message < 0 || p.File.Word == "" {
		return ""
	}
	command := "pith recall " + strconv.Itoa(p.Message) + ".0 --transcript " + p.File.Word
	if p.Session == "" {
		return command
	}
	if word, ok := shellWord(p.Session); ok {
		return command + " --session " + word
	}
	return ""
}

type placeKey struct{ session, message, line int }

// places gives every item its place, and lists them by file in the order of
// the transcript.
func (t *tally) places(items []*lostItem) []*placeFile {
	files := make([]*placeFile, len(t.files))
	known := map[placeKey]*place{}
	for _, x := range items {
		f := files[x.session]
		if f == nil {
			f = &placeFile{Name: t.fileName(x.session)}
			f.Word, _ = shellWord(t.files[x.session].file)
			files[x.session] = f
		}
		k := placeKey{x.session, x.where.Message, x.where.Line}
		p := known[k]
		if p == nil {
			p = &place{File: f, Session: t.files[x.session].session, Message: k.message, Line: k.line}
			known[k] = p
			f.Places = append(f.Places, p)
		}
		x.Place = p
		if len(p.Items) == maxItemsOfPlace {
			p.More++
			continue
		}
		p.Items = append(p.Items, x)
	}
	files = slices.DeleteFunc(files, func(f *placeFile) bool { return f == nil })
	id := 0
	for _, f := range files {
		slices.SortStableFunc(f.Places, func(a, b *place) int {
			return cmp.Or(cmp.Compare(a.Message, b.Message), cmp.Compare(a.Line, b.Line))
		})
		for _, p := range f.Places {
			id++
			p.ID = id
		}
	}
	return files
}

func (t *tally) fileName(session int) string {
	k := t.files[session]
	if k.session == "" {
		return visible(k.file)
	}
	return visible(k.file + "#" + k.session)
}
