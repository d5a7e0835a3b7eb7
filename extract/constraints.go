package extract

import (
	"strings"

	"github.com/pith-memory/pith"
)

// constraintSlot keeps the sentences that forbid, require or limit: those of
// the user, the system prompt and rules files, word for word.
type constraintSlot struct {
	list       []pith.Constraint
	invariants []pith.Invariant
	seen       map[string]bool
	// system and policy count what the client sends again by itself; read
	// holds such texts, which come with every turn.
	system, policy int
	read           map[string]bool
	language       languageCounts
	environment    environmentSlot
	quarantine     quarantineSlot
}

const (
	// maxSystemRules and maxPolicyRules bound what is kept by reference: the
	// client sends these texts again.
	maxSystemRules = 48
	maxPolicyRules = 96
	maxRuleBytes   = 1200
	// maxReply is the length up to which a text may be a correction.
	maxReply = 500
	// maxWritten is the length from which a text is likely to be pasted.
	maxWritten = 1500
)

func (c *constraintSlot) said(s *Said) {
	if s.Side {
		return
	}
	switch s.Origin {
	case pith.UserExplicit:
		if mayAmend(s) {
			c.user(s)
		}
	case pith.System:
		c.environment.read(s)
		c.resent(s, "", &c.system, maxSystemRules)
	case pith.PolicyFile:
		c.resent(s, policyPath(s.Text), &c.policy, maxPolicyRules)
	case pith.Harness:
		c.environment.read(s)
		c.quarantine.scan(s.Text, s.Origin, s.At)
	default:
		c.quarantine.scan(s.Text, s.Origin, s.At)
	}
}

// user reads the rules in a text of the user's.
func (c *constraintSlot) user(s *Said) {
	c.language.add(s.Text)
	language := c.language.language()
	reply, strict := s.Turn > 0 && len(s.Text) <= maxReply, len(s.Text) > maxWritten
	sentences(s.Text, func(p sentence) {
		text := s.Text[p.start:p.end]
		if len(text) > maxRuleBytes {
			return
		}
		polarity, ok := rule(text, language, strict)
		if !ok && reply {
			polarity, ok = correction(text)
		}
		if ok {
			c.add(pith.Constraint{Text: text, Polarity: polarity, Provenance: pith.UserExplicit, Source: s.Span(p.start, p.end)})
		}
	})
}

// resent reads the rules of a text that the client sends again by itself.
func (c *constraintSlot) resent(s *Said, path string, count *int, limit int) {
	if *count >= limit || c.read[s.Text] {
		return
	}
	if c.read == nil {
		c.read = map[string]bool{}
	}
	c.read[s.Text] = true
	language := languageOf(s.Text)
	sentences(s.Text, func(p sentence) {
		text := s.Text[p.start:p.end]
		if *count >= limit || len(text) > maxRuleBytes || language == "en" && !mayRule(text) {
			return
		}
		if polarity, ok := ruleIn(text, language, language, false); ok {
			n := len(c.list)
			c.add(pith.Constraint{Text: text, Polarity: polarity, Provenance: s.Origin, Source: s.Span(p.start, p.end), Path: path, Resent: true})
			*count += len(c.list) - n
		}
	})
}

// ruleNeedles are parts of the words without which no English sentence of a
// long prompt is a rule: a quick look before the slow one.
var ruleNeedles = [...]string{"ever", "not", "n't", "n’t", "ust", "nly", "lways", "hould", "void", "sure", "ithout", "nless", "xcept", "top ", "eep ", "nstead", "efer", "No ", "no ", "o not", "eave", "ait", "sk ", "orbid", "imit", "than", "need", "MUST", "NEVER", "NOT", "ONLY", "ALWAYS", "efore", "ommit", "se "}

func mayRule(text string) bool {
	for i := range ruleNeedles {
		if strings.Contains(text, ruleNeedles[i]) {
			return true
		}
	}
	return false
}

// policyPath reads the path of a rules file from the heading that the client
// put above its text.
func policyPath(text string) string {
	text = strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(text, "Contents of "); ok {
		if i := strings.Index(rest, " ("); i >= 0 {
			return strings.TrimSuffix(rest[:i], ":")
		}
	}
	for _, name := range [...]string{"AGENTS.md", "CLAUDE.md"} {
		if rest, ok := strings.CutPrefix(text, "# "+name); ok {
			line, _, _ := strings.Cut(rest, "\n")
			if dir, ok := strings.CutPrefix(strings.TrimSpace(line), "instructions for "); ok {
				return strings.TrimSuffix(dir, "/") + "/" + name
			}
			return name
		}
	}
	return ""
}

// call reads the reason that a user gave for refusing a call.
func (c *constraintSlot) call(done *Call) {
	if text, at, ok := refusal(done); ok && !done.Side {
		c.user(&Said{Text: text, Origin: pith.UserExplicit, At: at, Turn: 1})
		return
	}
	c.quarantine.scan(done.Result.Text, pith.ToolOutput, done.ResultAt)
}

// refusalIntro is the fixed sentence of Claude Code after which the user's own
// words stand in the result of a refused call.
const refusalIntro = "To tell you how to proceed, the user said:\n"

// refusal returns the user's words in the result of a call that the user
// refused. Nothing else in a tool's output is ever the user's.
func refusal(c *Call) (text string, at pith.Source, ok bool) {
	const head = "The user doesn't want to proceed with this tool use."
	if !c.Result.Rejected || !strings.HasPrefix(c.Result.Text, head) {
		return "", pith.Source{}, false
	}
	i := strings.Index(c.Result.Text, refusalIntro)
	if i < 0 {
		return "", pith.Source{}, false
	}
	i += len(refusalIntro)
	end := len(c.Result.Text)
	if j := strings.Index(c.Result.Text[i:], "\n\nNote: "); j >= 0 {
		end = i + j
	}
	start, end := trimSpan(c.Result.Text, i, end)
	// The client fills the place itself where the user only wants to talk.
	if start >= end || strings.HasPrefix(c.Result.Text[start:], "The user wants to clarify") {
		return "", pith.Source{}, false
	}
	at = c.ResultAt
	at.Start, at.End = start, end
	return c.Result.Text[start:end], at, true
}

// rule tells whether a sentence is one. It is read in its own language, and in
// English where the conversation is in English or the sentence does not tell.
func rule(text, conversation string, strict bool) (polarity string, ok bool) {
	own := languageOf(text)
	silent := own == ""
	if silent {
		own = conversation
	}
	if polarity, ok = ruleIn(text, own, conversation, strict); ok {
		return polarity, true
	}
	lower := plainLower(text)
	if silent && inEnglish(lower) {
		polarity, ok = englishRule(lower, strict)
	}
	if !ok && !strict && !endsAsQuestion(lower) && labelled(lower) {
		return requires, true
	}
	return polarity, ok
}

// ruleIn is rule for a sentence whose own language is known.
func ruleIn(text, own, conversation string, strict bool) (polarity string, ok bool) {
	lower := plainLower(text)
	for _, language := range [...]string{own, conversation} {
		if t := tableFor(language); t != nil && !endsAsQuestion(lower) {
			if polarity, ok = t.match(lower); ok {
				return polarity, true
			}
		}
	}
	if tableFor(own) == nil || conversation == "en" {
		return englishRule(lower, strict)
	}
	return "", false
}

// englishCues are words that stand in a rule of English, and in no sentence of
// the other languages that are read.
var englishCues = [...]string{"never", "always", "must", "mustn't", "should", "shouldn't", "don't", "only", "avoid", "ensure", "keep", "use"}

// inEnglish tells whether a sentence is English though it is too short for its
// language to tell: it has a cue of English, and no letter that English lacks.
func inEnglish(lower string) bool {
	for i := range len(lower) {
		if lower[i] >= 0x80 {
			return false
		}
	}
	for _, cue := range englishCues {
		if hasPhrase(lower, cue) {
			return true
		}
	}
	return false
}

// ruleLabels are what people write before a rule, in lower case.
var ruleLabels = [...]string{
	"rule:", "hard rule:", "constraint:", "hard constraint:", "requirement:", "regel:", "vorgabe:", "règle:", "règle :", "regla:", "regra:", "правило:", "规则:", "规则：", "規則:", "規則：", "ルール:", "ルール：", "규칙:",
}

// labelled tells whether a sentence says of itself that it is a rule, and then
// says what.
func labelled(lower string) bool {
	lower = strings.TrimLeft(lower, "*_-# \t")
	for _, label := range ruleLabels {
		if rest, ok := strings.CutPrefix(lower, label); ok {
			return len(strings.Fields(rest)) > 1 || rest != "" && label[len(label)-1] >= 0x80
		}
	}
	return false
}

// questionEnds are the ends of questions in several languages.
var questionEnds = [...]string{"?", "？", "か。", "吗。", "嗎。", "ですか", "까."}

// endsAsQuestion tells whether a sentence of any language ends as a question does.
func endsAsQuestion(lower string) bool {
	lower = strings.TrimRight(lower, " \"'」』）)")
	for _, end := range questionEnds {
		if strings.HasSuffix(lower, end) {
			return true
		}
	}
	return false
}

// refusing begin a reply that turns something down.
var refusing = []string{"no,", "no ", "nope", "nah", "wrong", "that's wrong", "thats wrong", "that is wrong", "not like that", "not that", "that's not", "thats not", "non,", "nein,", "нет,", "não,", "不对", "不對", "不是", "違います", "いや", "아니"}

// correction takes a short reply that turns down what was done or proposed
// and says more than no.
func correction(text string) (polarity string, ok bool) {
	lower := plainLower(text)
	if endsAsQuestion(lower) || len(strings.Fields(text)) < 4 && lower[0] < 0x80 {
		return "", false
	}
	for _, p := range refusing {
		rest, found := strings.CutPrefix(lower, p)
		if !found {
			continue
		}
		ws := englishWords(rest)
		if len(ws) > 0 && isOneOf(ws[0].text, "problem", "problems", "worries", "idea", "need", "rush", "matter", "clue", "way", "it's", "that's", "thanks", "wonder", "one", "changes", "errors") {
			return "", false
		}
		for _, negative := range [...]string{"not ", "n't", "dont", "remove", "never", "revert", "stop"} {
			if strings.Contains(rest, negative) {
				return forbids, true
			}
		}
		return requires, true
	}
	return "", false
}

// add files a rule once, under constraints or under invariants.
func (c *constraintSlot) add(k pith.Constraint) {
	key := k.Text
	if k.Resent {
		key = "resent\x00" + key
	}
	if c.seen[key] {
		return
	}
	if c.seen == nil {
		c.seen = map[string]bool{}
	}
	c.seen[key] = true
	lower := plainLower(k.Text)
	if !k.Resent && preserves(lower) {
		c.invariants = append(c.invariants, pith.Invariant{
			ID: pith.ItemID(pith.IDInvariant, k.Source, k.Text), Text: k.Text, Binding: "binding", Provenance: k.Provenance, Source: k.Source,
		})
		return
	}
	k.ID = pith.ItemID(pith.IDConstraint, k.Source, k.Text)
	k.Kind = ruleKind(lower, k.Polarity)
	k.Exception = exceptionOf(k.Text)
	k.Scope = scopeOf(k.Text)
	c.list = append(c.list, k)
}

func (c *constraintSlot) facts(f *Facts) {
	f.Constraints = append([]pith.Constraint{}, c.list...)
	f.Invariants = append([]pith.Invariant{}, c.invariants...)
	f.Quarantined = append([]pith.Quarantine{}, c.quarantine.list...)
	f.Context.Environment = c.environment.quotes()
}
