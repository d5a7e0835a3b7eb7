package pith

import "time"

// The contract that a State follows: contracts/schemas/compact-working-state.json.
const (
	ContractType  = "compact-working-state"
	SchemaVersion = "2.3.0"
)

// State is the working state that stands for a conversation: ten slots, what
// they lack a home for, and where each item came from.
type State struct {
	ContractType  string          `json:"contract_type"`
	SchemaVersion string          `json:"schema_version"`
	Checkpoint    Checkpoint      `json:"checkpoint"`
	Goal          Goal            `json:"current_goal"`
	WorkType      WorkType        `json:"work_type"`
	Phase         Phase           `json:"phase_control"`
	Constraints   []Constraint    `json:"active_constraints"`
	Files         Files           `json:"files_modified_and_inspected"`
	Decisions     []Decision      `json:"decisions_and_tradeoffs"`
	Evidence      []Evidence      `json:"verification_and_evidence"`
	Failed        []FailedAttempt `json:"failed_attempts_and_antipatterns"`
	Invariants    []Invariant     `json:"preserved_invariants"`
	Next          NextAction      `json:"next_single_safe_action"`
	// EmptySlots attests the slots that were looked for and found empty.
	EmptySlots []string `json:"empty_slots"`
	Context    Context  `json:"context"`
	// Identifiers are the names that the next calls are likely to need, best first.
	Identifiers Identifiers `json:"identifiers"`
	Security    Security    `json:"security"`
	Metrics     Metrics     `json:"metrics"`
	// Edits are what people changed, in the order they did.
	Edits []Edit `json:"edits,omitempty"`
	// Extensions carries what an 8-field memory holds beyond the ten slots.
	Extensions *Extensions `json:"extensions,omitempty"`
	// Blocks describes every block that a source points into, by Source.BlockKey.
	Blocks map[string]BlockRef `json:"blocks"`
}

// Checkpoint says what a state was made from. The same input gives the same
// checkpoint, byte for byte: it holds no clock reading and nothing random.
type Checkpoint struct {
	// ID is the sha256 of the canonical state with this field empty.
	ID        string  `json:"id"`
	SessionID string  `json:"session_id"`
	Seq       int     `json:"seq"`
	ParentID  *string `json:"parent_id"`
	// CreatedAt is the time of the last message included, null without one.
	CreatedAt      *time.Time `json:"created_at"`
	Trigger        Reason     `json:"trigger"`
	FromMessage    int        `json:"from_message"`
	ThroughMessage int        `json:"through_message"`
	// CompactedAtTurn counts model requests over the whole session.
	CompactedAtTurn int `json:"compacted_at_turn"`
	// FromTurn counts the turns before FromMessage.
	FromTurn int `json:"from_turn,omitempty"`
	// TranscriptSHA256 is over the hashes of the included blocks, in order.
	TranscriptSHA256 string    `json:"transcript_sha256"`
	ExtractorVersion string    `json:"extractor_version"`
	Origin           string    `json:"origin"` // live | imported | delegated
	Format           Format    `json:"format"`
	Model            string    `json:"model,omitempty"`
	Transcript       string    `json:"transcript,omitempty"` // path as given
	Workspace        Workspace `json:"workspace"`
	// FactsOnly is set where no model drafted the judgement.
	FactsOnly bool `json:"facts_only"`
	// Compactor is the model that drafted the judgement, with its provider:
	// "anthropic/claude-haiku-4-5".
	Compactor string `json:"compactor,omitempty"`
	// Skipped counts the rows of the file that could not be read.
	Skipped int `json:"skipped_rows"`
	// Agent is set in the state of a sub-agent.
	Agent string `json:"agent_id,omitempty"`
}

// OriginDelegated is the origin of a state that another agent handed over.
const OriginDelegated = "delegated"

// Reason names why a compaction took place.
type Reason string

// The reasons of the contract.
const (
	ReasonManual     Reason = "manual"
	ReasonTokens60   Reason = "utilization_60"
	ReasonTokens70   Reason = "utilization_70"
	ReasonTokens80   Reason = "utilization_80"
	ReasonTurns      Reason = "turn_budget"
	ReasonPhase      Reason = "phase_boundary"
	ReasonErrorLoop  Reason = "error_loop"
	ReasonDelegation Reason = "delegation"
	ReasonResume     Reason = "resume"
	ReasonImport     Reason = "import"
)

// Workspace is where the work took place, as the client recorded it.
type Workspace struct {
	Root     string `json:"root,omitempty"`     // the session's first directory
	CWD      string `json:"cwd,omitempty"`      // the last directory
	Worktree string `json:"worktree,omitempty"` // the active worktree where it is not the root
	Branch   string `json:"branch,omitempty"`
	Head     string `json:"vcs_head,omitempty"` // the last commit that a tool result showed
}

// Goal is slot 1: what the user asked for, in the user's words.
type Goal struct {
	Text       string      `json:"text"`
	Provenance Provenance  `json:"provenance"`
	SHA256     string      `json:"goal_sha256"`
	Source     Source      `json:"source"`
	Amendments []Amendment `json:"amendments"`
}

// Amendment is a later request of the user. Long pasted bulk is shortened
// head-tail; the latest is whole.
type Amendment struct {
	Text       string     `json:"text"`
	Relation   string     `json:"relation"` // amends | supersedes
	Shortened  bool       `json:"shortened,omitempty"`
	Bytes      int        `json:"bytes,omitempty"` // size of the original where shortened
	Provenance Provenance `json:"provenance"`
	Source     Source     `json:"source"`
}

// WorkType is slot 2. Unspecified is honest; a guess is not.
type WorkType string

// The kinds of work.
const (
	WorkFeature       WorkType = "feature"
	WorkBugfix        WorkType = "bugfix"
	WorkRefactor      WorkType = "refactor"
	WorkMigration     WorkType = "migration"
	WorkInvestigation WorkType = "investigation"
	WorkRelease       WorkType = "release"
	WorkUnspecified   WorkType = "unspecified"
)

// Phase is slot 3; unknown numbers are null.
type Phase struct {
	Current      *int     `json:"current_phase"`
	Total        *int     `json:"total_phases"`
	Name         string   `json:"phase_name"`
	Status       string   `json:"status"` // not_started | in_progress | blocked | completed | failed
	Owner        string   `json:"active_owner"`
	ExitCriteria []string `json:"exit_criteria,omitempty"`
}

// Constraint is an item of slot 4: a sentence that forbids, requires or limits.
type Constraint struct {
	ID         string     `json:"id"`
	Text       string     `json:"text"`
	Kind       string     `json:"kind"`                // prohibition | requirement | stack | security | process
	Polarity   string     `json:"polarity"`            // forbid | require | limit
	Exception  string     `json:"exception,omitempty"` // "unless I say so"
	Scope      string     `json:"scope,omitempty"`     // "for this run"
	Provenance Provenance `json:"provenance"`
	Source     Source     `json:"source"`
	// Path is the rules file to read again.
	Path string `json:"path,omitempty"`
	// Resent is set where the client sends the text again by itself (a system
	// prompt, a rules file): kept by reference, rendered only when it will not.
	Resent bool `json:"resent,omitempty"`
}

// Files is slot 5: every path, complete.
type Files struct {
	Modified  []File `json:"modified"`
	Inspected []File `json:"inspected"`
	Complete  bool   `json:"complete"`
}

// FileOp is what was last done to a file.
type FileOp string

// The operations. Moved is the new name of a renamed file; its old name is Deleted.
const (
	FileCreated   FileOp = "created"
	FileEdited    FileOp = "edited"
	FileDeleted   FileOp = "deleted"
	FileRenamed   FileOp = "renamed"
	FileInspected FileOp = "inspected"
)

// File is one path with the last touch. Path is absolute where the directory
// is known, in the separators it was written with; AsUsed is set when the
// agent wrote it otherwise.
type File struct {
	Path        string `json:"path"`
	AsUsed      string `json:"as_used,omitempty"`
	Op          FileOp `json:"op"`
	RenamedFrom string `json:"renamed_from,omitempty"`
	// Via is the tool that touched it: "Edit", "shell", "git", "apply_patch" ...
	Via string `json:"via"`
	// Disk is unchecked (""), match, changed or absent.
	Disk string `json:"disk,omitempty"`
	// Stale is set where the file changed after its content was last shown.
	Stale bool `json:"stale,omitempty"`
	// Outside is set where the path leaves the session's root.
	Outside bool `json:"outside_workspace,omitempty"`
	// Agent is set where a sub-agent touched it.
	Agent  string `json:"agent_id,omitempty"`
	Source Source `json:"source"` // the last touch
	// Touches counts reads and writes.
	Touches int `json:"-"`
}

// Security is what was found out about the safety of the state's own text.
type Security struct {
	SecretScan  SecretScan   `json:"secret_scan"`
	Sanitized   []ClassCount `json:"sanitized"`
	Quarantined []Quarantine `json:"quarantined"`
	// ClaimsDropped counts the drafted statements that were left out, by the
	// kind of the claim that the transcript does not hold.
	ClaimsDropped []KindCount `json:"claims_dropped,omitempty"`
}

// SecretScan counts what was redacted over the whole conversation.
type SecretScan struct {
	RulesetSHA256 string      `json:"ruleset_sha256"`
	Status        string      `json:"status"` // clean | redacted
	Redactions    []RuleCount `json:"redactions"`
	Rescan        string      `json:"rescan"` // clean
}

// RuleCount counts the redactions of one rule.
type RuleCount struct {
	Rule  string `json:"rule"`
	Count int    `json:"count"`
}

// ClassCount counts the characters of one class that were made visible or removed.
type ClassCount struct {
	Class string `json:"class"`
	Count int    `json:"count"`
}

// KindCount counts what was left out for one reason.
type KindCount struct {
	Kind  string `json:"kind"`
	Count int    `json:"count"`
}

// Quarantine is a candidate that was refused because of where it came from:
// its hash and place, never its text.
type Quarantine struct {
	Slot       string     `json:"slot"`
	Provenance Provenance `json:"provenance"`
	SHA256     string     `json:"sha256"`
	Source     Source     `json:"source"`
}

// Metrics are token counts only; quality is what package measure is for.
type Metrics struct {
	// TokensBefore is the live content that the state stands for.
	TokensBefore Tokens `json:"tokens_before"`
	// TokensAfter is the rendered block.
	TokensAfter Tokens `json:"tokens_after"`
	// Reported is the context of the last request, by the provider; 0 unknown.
	Reported  Tokens `json:"tokens_reported"`
	Tokenizer string `json:"tokenizer"`
}
