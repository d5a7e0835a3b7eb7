package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/memory"
	"github.com/pith-memory/pith/restore"
	"github.com/pith-memory/pith/trigger"
)

// setting is one thing that can be configured: by a flag, by PITH_<NAME> in
// the environment, or by its name in the configuration file, in that order.
type setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	From  string `json:"from"` // flag | environment | file | default
	About string `json:"about"`
	check func(string) error
}

// settings holds every setting with its effective value.
type settings struct {
	File string    `json:"file"`
	List []setting `json:"settings"`
}

// known lists what can be configured, with the defaults.
func known() []setting {
	return []setting{
		{Name: "window", Value: "0", About: "context window in tokens; 0 asks the session, then the table of models", check: wantCount},
		{Name: "budget", Value: "0", About: "tokens of the restored block; 0 is 4000 (8000 for windows of 200000 and more) and at most a fifth of the conversation", check: wantCount},
		{Name: "pattern", Value: "system", About: "where the block goes: system (prompt) or message (first user message)", check: wantPattern},
		{Name: "warn-at", Value: "0.6", About: "fraction of the window at which verbose output is staged for truncation", check: wantFraction},
		{Name: "compact-at", Value: "0.7", About: "fraction of the window at which to compact", check: wantFraction},
		{Name: "block-at", Value: "0.8", About: "fraction of the window at which tools are blocked", check: wantFraction},
		{Name: "compact-tokens", Value: "0", About: "absolute number of tokens at which to compact; 0 is off", check: wantCount},
		{Name: "turns", Value: "40", About: "turns since the last compaction that count once the window is half full", check: wantCount},
		{Name: "keep-days", Value: "90", About: "days for which the texts of sessions without a file (request bodies, standard input) are kept for recall; 0 is for good", check: wantCount},
		{Name: "model", Value: "", About: "model that drafts the judgement, as anthropic/claude-haiku-4-5 or openai/gpt-5-mini; a list, with commas, is asked in turn; none: facts only", check: wantModels},
		{Name: "model-url", Value: "", About: "base URL of the model's API, as http://localhost:11434/v1; the default is the maker's own", check: wantURL},
		{Name: "model-key-file", Value: "", About: "file with the API key; the default is ANTHROPIC_API_KEY or OPENAI_API_KEY in the environment", check: wantAny},
		{Name: "model-max-tokens", Value: "4096", About: "tokens that a model's answer may have", check: wantSome},
		{Name: "model-window", Value: "0", About: "context window of the model in tokens; 0 asks the table of models", check: wantCount},
		{Name: "model-timeout", Value: "2m", About: "how long a model may take for one answer, with all its retries, as 90s or 2m", check: wantDuration},
		{Name: "message-cap", Value: "2000", About: "characters of a message that a model is shown", check: wantSome},
		{Name: "focus", Value: "", About: "what the model is to look at above all, in your words", check: wantAny},
		{Name: "figures", Value: "off", About: "figures of each compaction: off, or log (a line of JSON on standard error)", check: wantFigures},
		{Name: "store", Value: "sqlite", About: "what keeps checkpoints: sqlite (one database) or file (a folder of readable JSON)", check: wantStore},
		{Name: "store-path", Value: "", About: "the store's database or folder; the default is pith/ in the user's data folder", check: wantAny},
	}
}

func wantCount(v string) error {
	if n, err := strconv.Atoi(v); err != nil || n < 0 {
		return errors.New("want a whole number, 0 or more")
	}
	return nil
}

func wantFraction(v string) error {
	if f, err := strconv.ParseFloat(v, 64); err != nil || f <= 0 || f > 1 {
		return errors.New("want a fraction over 0 and up to 1, as 0.7")
	}
	return nil
}

func wantSome(v string) error {
	if n, err := strconv.Atoi(v); err != nil || n < 1 {
		return errors.New("want a whole number, 1 or more")
	}
	return nil
}

func wantDuration(v string) error {
	if d, err := time.ParseDuration(v); err != nil || d <= 0 {
		return errors.New("want a time over 0, as 90s or 2m")
	}
	return nil
}

func wantPattern(v string) error {
	if v != "system" && v != "message" {
		return errors.New("want system or message")
	}
	return nil
}

// loadSettings works out every effective value and where it came from.
func loadSettings(file string, flags *pflag.FlagSet) (*settings, error) {
	explicit := file != ""
	if file == "" {
		if dir, err := os.UserConfigDir(); err == nil {
			file = filepath.Join(dir, "pith", "config.toml")
		}
	}
	s := &settings{File: file, List: known()}
	values, err := readConfigFile(file, explicit)
	if err != nil {
		return nil, err
	}
	for i := range s.List {
		x := &s.List[i]
		place := "the default"
		if v, ok := values[x.Name]; ok {
			x.Value, x.From, place = v, "file", file
		} else {
			x.From = "default"
		}
		env := x.variable()
		if v, ok := os.LookupEnv(env); ok && v != "" {
			x.Value, x.From, place = v, "environment", env
		}
		if f := flags.Lookup(x.Name); f != nil && f.Changed {
			x.Value, x.From, place = f.Value.String(), "flag", "--"+x.Name
		}
		if err := x.check(x.Value); err != nil {
			return nil, usage(x.Name+": "+x.About, "%s: %s is %s: %w", place, x.Name, x.shown(), err)
		}
		if x.Name == "store-path" && x.Value == "" {
			x.Value = defaultStorePath(s.value("store"))
		}
	}
	return s, nil
}

// usableSettings are the settings of which each has a value that can be used,
// whatever is wrong with the file or with others: a default else.
func usableSettings(flags *pflag.FlagSet) *settings {
	s := &settings{List: known()}
	for i := range s.List {
		x := &s.List[i]
		x.From = "default"
		if v := os.Getenv(x.variable()); v != "" && x.check(v) == nil {
			x.Value, x.From = v, "environment"
		}
		if f := flags.Lookup(x.Name); f != nil && f.Changed && x.check(f.Value.String()) == nil {
			x.Value, x.From = f.Value.String(), "flag"
		}
		if x.Name == "store-path" && x.Value == "" {
			x.Value = defaultStorePath(s.value("store"))
		}
	}
	return s
}

// variable names the setting in the environment.
func (x *setting) variable() string {
	return "PITH_" + strings.ToUpper(strings.ReplaceAll(x.Name, "-", "_"))
}

// shown is a value that was refused, without what may be a key in a URL.
func (x *setting) shown() string {
	if x.Name == "model-url" && strings.ContainsAny(x.Value, "@?") {
		return "a URL with more than a host and a path"
	}
	return strconv.Quote(x.Value)
}

// readConfigFile reads the settings of a file; an unknown key is an error,
// because a setting that does nothing is worse than none.
func readConfigFile(file string, explicit bool) (map[string]string, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) && !explicit {
		return nil, nil
	}
	if err != nil {
		return nil, &pith.Error{Op: "read the configuration", Kind: pith.KindUsage, Err: err}
	}
	var raw map[string]any
	if err := toml.Unmarshal(data, &raw); err != nil {
		where := file
		var d *toml.DecodeError
		if errors.As(err, &d) {
			row, col := d.Position()
			where = fmt.Sprintf("%s:%d:%d", file, row, col)
		}
		return nil, usage("the file is TOML: name = value", "%s: %w", where, err)
	}
	values := map[string]string{}
	for name, v := range raw {
		if names := settingNames(); !slices.Contains(names, name) {
			return nil, usage("known settings: "+strings.Join(names, ", "), "%s: unknown setting %q", file, name)
		}
		values[name] = fmt.Sprint(v)
	}
	return values, nil
}

func settingNames() []string {
	var names []string
	for _, x := range known() {
		names = append(names, x.Name)
	}
	return names
}

// settingFlag makes a setting a flag of a command; loadSettings reads it.
func settingFlag(flags *pflag.FlagSet, name string) {
	for _, x := range known() {
		if x.Name != name {
			continue
		}
		if n, err := strconv.Atoi(x.Value); err == nil {
			flags.Int(name, n, x.About)
		} else {
			flags.String(name, x.Value, x.About)
		}
	}
}

func (s *settings) value(name string) string {
	for _, x := range s.List {
		if x.Name == name {
			return x.Value
		}
	}
	return ""
}

// count, fraction and duration read values that loadSettings has checked.
func (s *settings) count(name string) int {
	n, _ := strconv.Atoi(s.value(name))
	return n
}

func (s *settings) fraction(name string) float64 {
	f, _ := strconv.ParseFloat(s.value(name), 64)
	return f
}

func (s *settings) duration(name string) time.Duration {
	d, _ := time.ParseDuration(s.value(name))
	return d
}

func (s *settings) pattern() restore.Pattern {
	if s.value("pattern") == "message" {
		return restore.PatternMessage
	}
	return restore.PatternSystem
}

// memory is what a Memory works by, as far as it can be set.
func (s *settings) memory() memory.Config {
	return memory.Config{Window: s.count("window"), Budget: pith.Tokens(s.count("budget")), Pattern: s.pattern(), Policy: s.policy()}
}

func (s *settings) policy() trigger.Policy {
	return trigger.Policy{
		WarnAt:        s.fraction("warn-at"),
		CompactAt:     s.fraction("compact-at"),
		BlockAt:       s.fraction("block-at"),
		CompactTokens: pith.Tokens(s.count("compact-tokens")),
		Turns:         s.count("turns"),
	}
}

func configCommand(c *console) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Print every setting, its effective value and where it came from",
		Long: `Print every setting, its effective value and where it came from.

A flag wins over the environment (PITH_WINDOW, PITH_COMPACT_AT ...), which wins
over the configuration file, which wins over the default.`,
		Example: "  pith config\n  PITH_WINDOW=200000 pith config --json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return printJSON(c.out, c.settings)
			}
			for _, x := range c.settings.List {
				fmt.Fprintf(c.out, "%-16s = %-8s %s\n", x.Name, x.Value, c.paint(dim, "("+x.From+") "+x.About))
			}
			fmt.Fprintf(c.out, "%s\n", c.paint(dim, "file: "+c.settings.File))
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
