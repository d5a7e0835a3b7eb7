package extract

type fileSlot struct{}

func (s *fileSlot) init()                        {}
func (s *fileSlot) call(c *Call)                 {}
func (s *fileSlot) facts(f *Facts, x *Extractor) {}
