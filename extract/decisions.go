package extract

type decisionSlot struct{}

func (c *decisionSlot) said(s *Said)   {}
func (c *decisionSlot) call(c2 *Call)  {}
func (c *decisionSlot) facts(f *Facts) {}
