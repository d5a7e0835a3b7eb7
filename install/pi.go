package install

// pi: an extension, one file that it loads by itself.
func (c *Config) pi(o Options, _ *receipt) (*wanted, error) {
	return c.plugin(Pi, o, "extensions")
}
