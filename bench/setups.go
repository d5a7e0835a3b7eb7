package main

// setup is a candidate of the comparison: how reports name it, which runner
// makes it ("" for trial itself), and how it is set up, for the document.
type setup struct{ of, runner, how string }

// Runners of other libraries.
const (
	runnerEino = "eino"
	runnerJS   = "js"
)

var setups = []setup{
	{"pith", "", "`memory.Compact` and `memory.Apply` with the zero configuration: the block and the messages that stay word for word behind it. No model."},
	{"client", "", "What the client itself went on with at a compaction of its own, as its file records it: its model's summary and the messages that it kept. There is none at other cuts."},
	{"keep-last:20", "", "The last 20 messages, fewer where a call would be parted from its result."},
	{"mask:10", "", "Everything, with the outputs of tools omitted that are older than the model's last 10 turns."},
	{"raw", "", "Everything."},
	{"eino summarization", runnerEino, "`summarization.New` with defaults, triggered at the cut, with a transcript path. The answer of its model is the client's recorded summary, followed by the empty section `<all_user_messages>` that eino's instruction asks for and then fills with the user's messages itself."},
	{"eino reduction", runnerEino, "`reduction.New` with defaults (the last round keeps its results), triggered at the cut; without a backend, so that a cleared result leaves a short note and not the path of a file. Its truncation of single results is off: the clients' tools had cut them already."},
	{"eino reduction, 10 rounds", runnerEino, "The same with `ClearRetentionSuffixLimit: 10`."},
	{"langchain summarization", runnerJS, "`summarizationMiddleware` with defaults (keeps 20 messages), triggered at the cut: without a `trigger` it never runs. The answer of its model is the client's recorded summary."},
	{"langchain summarization, keep 20k tokens", runnerJS, "The same with `keep: {tokens: 20000}`."},
	{"langchain contextEditing", runnerJS, "`contextEditingMiddleware` with `ClearToolUsesEdit` and defaults (keeps 3 results), triggered at the cut."},
	{"langchain contextEditing, keep 10", runnerJS, "The same with `keep: {messages: 10}`."},
	{"vercel pruneMessages", runnerJS, "`pruneMessages` as in its documentation: `reasoning: 'before-last-message', toolCalls: 'before-last-2-messages'`. With its defaults it removes nothing."},
	{"vercel pruneMessages, last 20", runnerJS, "The same with `toolCalls: 'before-last-20-messages'`."},
}
