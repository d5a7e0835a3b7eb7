package meter

import "github.com/pith-memory/pith"

// What a reading rests on.
const (
	Reported     = "reported"
	Estimated    = "estimated"
	ReportedPlus = "reported+estimate"
)

// Reading is how full the window is before the next request.
// Units: tokens.
type Reading struct {
	// Used is Reported and Since together.
	Used pith.Tokens `json:"used"`
	// Basis is Reported, Estimated or ReportedPlus.
	Basis string `json:"basis"`
	// Reported is the context of the last request and its answer, 0 unknown.
	Reported pith.Tokens `json:"reported"`
	// Since is the estimate of what came after it; of everything where nothing
	// was reported.
	Since pith.Tokens `json:"since"`
	// Window is the model's context window, 0 unknown.
	Window int `json:"window"`
	// WindowFrom is "config", "transcript", "catwalk" or "unknown".
	WindowFrom string `json:"window_from"`
	// Reserve must stay free: the output that the next request asks for, and
	// what the estimate may be too low by.
	Reserve pith.Tokens `json:"reserve"`
	// Fraction is Used divided by Window, 0 where the window is unknown.
	Fraction float64 `json:"fraction"`
	// Parts says what fills the request, where it was read from a whole body.
	Parts Breakdown `json:"parts"`
}

// ReadOptions is what a conversation does not say by itself.
type ReadOptions struct {
	// Window is the configured context window, 0 where there is none.
	Window int
	// Model names the model of the next request; "" is the conversation's own.
	Model string
	// Usage is what the provider reported for the last request, where the
	// client passes it on. All zeros mean unknown.
	Usage *pith.Usage
	// UsageModel is the model that Usage is of; "" is the same one.
	UsageModel string
	// Boundary is the index of the first message after the last compaction:
	// what was reported for older messages counted a context that is gone.
	Boundary int
	// MaxTokens is the output that the next request asks for; 0 is the
	// conversation's own.
	MaxTokens pith.Tokens
}

// Read turns a conversation into a reading. Only the last request's usage
// counts, cached tokens included: every request reports its whole context, so
// a sum over requests is no size. What another model reported does not count.
func Read(c *pith.Conversation, o ReadOptions) Reading {
	if o.Model == "" {
		o.Model = c.Model
	}
	if o.MaxTokens == 0 {
		o.MaxTokens = c.MaxTokens
	}
	parts := EstimateConversation(c)
	usage, answered := lastUsage(c, &o)
	since := parts.Total()
	if usage != nil {
		since = 0
		for i := answered + 1; i < len(c.Messages); i++ {
			since += EstimateMessage(&c.Messages[i])
		}
	}
	r := o.reading(usage, since)
	r.Parts = parts
	return r
}

// ReadSizes is Read for a caller who keeps count of a conversation while it
// grows: parts is what fills the request, since is the estimate of what came
// behind the answer that o.Usage is of, and of everything where o.Usage is nil
// or another model's.
func ReadSizes(parts Breakdown, since pith.Tokens, o ReadOptions) Reading {
	usage := o.Usage
	if usage.Context() == 0 || !sameModel(o.UsageModel, o.Model) {
		usage, since = nil, parts.Total()
	}
	r := o.reading(usage, since)
	r.Parts = parts
	return r
}

// lastUsage finds the last usage that counts and the position of the message
// that answered its request.
func lastUsage(c *pith.Conversation, o *ReadOptions) (usage *pith.Usage, answered int) {
	for i := len(c.Messages) - 1; i >= 0; i-- {
		m := &c.Messages[i]
		if m.Agent != "" {
			continue
		}
		if m.Role == pith.RoleAssistant && o.Usage.Context() > 0 && sameModel(o.UsageModel, o.Model) {
			return o.Usage, i
		}
		if m.Usage.Context() > 0 && m.Index >= o.Boundary && sameModel(m.Model, o.Model) {
			return m.Usage, i
		}
	}
	return nil, 0
}

// reading joins what was reported and an estimate of what came since.
func (o *ReadOptions) reading(usage *pith.Usage, since pith.Tokens) Reading {
	r := Reading{Reported: usage.Context(), Since: since}
	r.Used = r.Reported + r.Since
	switch {
	case r.Reported == 0:
		r.Basis = Estimated
	case r.Since == 0:
		r.Basis = Reported
	default:
		r.Basis = ReportedPlus
	}
	r.Reserve = o.MaxTokens + margin(r.Since)
	r.Window, r.WindowFrom = o.window(usage)
	if r.Window > 0 {
		r.Fraction = float64(r.Used) / float64(r.Window)
	}
	return r
}

// window asks the configuration, then what the client recorded, then the
// table. No provider answers a request that is larger than the window: a table
// that says so does not know the model's option for a longer one.
func (o *ReadOptions) window(usage *pith.Usage) (tokens int, from string) {
	tokens, from = Window(o.Model, o.Window)
	if from == FromConfig {
		return tokens, from
	}
	if usage != nil && usage.Window > 0 {
		return usage.Window, FromTranscript
	}
	if usage.Context() > pith.Tokens(tokens) {
		return 0, FromUnknown
	}
	return tokens, from
}
