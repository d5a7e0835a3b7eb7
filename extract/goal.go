package extract

import "github.com/pith-memory/pith"

type goalSlot struct{}

func (g *goalSlot) said(s *Said)              {}
func (g *goalSlot) boundary(b *pith.Boundary) {}
func (g *goalSlot) facts(f *Facts)            {}
