package extract

type constraintSlot struct{}

func (c *constraintSlot) said(s *Said)   {}
func (c *constraintSlot) call(c2 *Call)  {}
func (c *constraintSlot) facts(f *Facts) {}
