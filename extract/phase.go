package extract

type phaseSlot struct{}

func (p *phaseSlot) said(s *Said)   {}
func (p *phaseSlot) call(c *Call)   {}
func (p *phaseSlot) facts(f *Facts) {}
