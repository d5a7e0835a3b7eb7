package extract

import "github.com/pith-memory/pith"

type evidenceSlot struct{}

func (e *evidenceSlot) init()                     {}
func (e *evidenceSlot) said(s *Said)              {}
func (e *evidenceSlot) call(c *Call)              {}
func (e *evidenceSlot) lateExit(l *pith.LateExit) {}
func (e *evidenceSlot) facts(f *Facts)            {}
