// Package extract turns a session into facts, without a model: a fold over its
// messages in which each slot of the state has files of its own.
//
// It reads the whole conversation, never a shortened one, and it reads
// redacted text only: every message has gone through package redact before.
//
// Where a behaviour is found:
//
//	the fold           extract.go (order), goon.go (from an earlier state),
//	                   calls.go (pairs of use and result), blocks.go (the table of blocks)
//	goal               goal.go, worktype.go, language.go
//	constraints        constraints.go; what a rule is: cues.go (nine languages), english.go, english_forbids.go,
//	                   english_cues.go (requires, limits), rulekind.go; sentences.go; refused candidates: quarantine.go; the client's own limits: environment.go
//	files              files.go, filetools.go (edit tools), shellfiles.go, shellwrites.go, shelloperands.go (commands), scriptfiles.go
//	                   (inline scripts), patch.go, gitoutput.go, gitstatus.go; paths.go; workspace.go (root, worktree), workspace_git.go (branch, HEAD)
//	shell lines        shell.go (the parser), shellwords.go, shellcommands.go (prefixes, cd, bash -c),
//	                   shelltool.go (which tools run commands)
//	open calls         calls.go; background.go (commands left running)
//	evidence           evidence.go; what verifies: verifiers.go, verifier_words.go; whose exit code it is: masking.go,
//	                   outcome.go, probes.go; evidence_late.go (codes that come later), evidence_steps.go (failed steps that another line takes),
//	                   evidence_facts.go (supersedes,
//	                   resolves), evidence_scope.go; counts.go, counts_summary.go, counts_tools.go; signature.go, excerpt.go;
//	                   claims.go
//	failed attempts    failures.go, failures_facts.go, approaches.go
//	decisions          decisions.go, choices.go, verdicts.go, plan.go
//	phase and todo     phase.go, todo.go, settled.go (ended by words), parts.go (of a numbered request), done.go
//	next action        next.go, request.go, questions.go, destructive.go
//	names              names.go (ranking), nametable.go, namescan.go, namewords.go, namecommits.go,
//	                   nametests.go
//	the rest           urls.go, keylines.go; cut.go (texts made shorter), phrases.go (several phrases
//	                   found in one pass)
package extract
