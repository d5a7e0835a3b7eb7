package measure

// splitmix is the generator SplitMix64 (Steele, Lea, Flood, 2014): 64 bits of
// state, one addition and three mixing steps for each number. It is here so
// that a seed means the same in every version of Go.
type splitmix uint64

func (s *splitmix) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below gives a number from 0 to n-1; n is positive. The remainder favours
// small numbers by less than n in 2^64, which no count here can show.
func (s *splitmix) below(n int) int { return int(s.next() % uint64(n)) }
