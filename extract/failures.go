package extract

import "github.com/pith-memory/pith"

type failureSlot struct{}

func (e *failureSlot) said(s *Said)                     {}
func (e *failureSlot) call(c *Call)                     {}
func (e *failureSlot) lateExit(l *pith.LateExit)        {}
func (e *failureSlot) facts(f *Facts, ev *evidenceSlot) {}
