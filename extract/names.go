package extract

type nameSlot struct{}

func (n *nameSlot) init()                        {}
func (n *nameSlot) said(s *Said)                 {}
func (n *nameSlot) use(c *Call)                  {}
func (n *nameSlot) call(c *Call)                 {}
func (n *nameSlot) facts(f *Facts, x *Extractor) {}
