package extract

type questionSlot struct{}

func (q *questionSlot) said(s *Said)                 {}
func (q *questionSlot) call(c *Call)                 {}
func (q *questionSlot) facts(f *Facts, x *Extractor) {}
