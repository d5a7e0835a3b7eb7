package extract

import "github.com/pith-memory/pith"

type workspaceSlot struct{}

func (w *workspaceSlot) message(m *pith.Message) {}
func (w *workspaceSlot) call(c *Call)            {}
func (w *workspaceSlot) facts(f *Facts)          {}
