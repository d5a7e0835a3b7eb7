package extract

import (
	"strings"
	"testing"
)

// TestEnglishRules: what is a rule, and what merely sounds like one.
func TestEnglishRules(t *testing.T) {
	for text, want := range map[string]string{
		"do NOT push until I have read the diff.":                                         forbids,
		"Never run migrations against production.":                                        forbids,
		"Leave tests/golden/ alone.":                                                      forbids,
		"Don't use sudo unless I say so.":                                                 forbids,
		"No new dependencies except golang.org/x/text.":                                   forbids,
		"And nothing gets deployed on a Friday.":                                          forbids,
		"Run ./wipe-cache.sh, but for this run do not delete the script afterwards.":      forbids,
		"One more thing: never touch migrations/0042_ledger.sql, finance signed it off.":  forbids,
		"Find it and fix it without adding a global lock.":                                forbids,
		"I do not want any file changed, another agent is working here.":                  forbids,
		"can you fix merge conflicts without introducing regressions":                     forbids,
		"let's not make this change in this branch.":                                      forbids,
		"no don't set it, let's see if it keeps happening":                                forbids,
		"No sync.Map, we cannot range over it atomically.":                                forbids,
		"You must not modify files.":                                                      forbids,
		"Please stop adding comments.":                                                    forbids,
		"You can't touch the vendor folder.":                                              forbids,
		"We don't want any new flags":                                                     forbids,
		"when you're done, don't commit":                                                  forbids,
		"it should never block the main thread":                                           forbids,
		"without doing any changes: can you check the prior things":                       forbids,
		"Mode: explore (read-only).":                                                      limits,
		"Only analyse.":                                                                   limits,
		"Explore only: explain how the cache evicts.":                                     limits,
		"Work only in the worktree /srv/x, the main checkout belongs to someone else.":    limits,
		"Use at most 3 workers.":                                                          limits,
		"keep it under 500 lines":                                                         limits,
		"you can only edit docs/":                                                         limits,
		"Then stop after the README and wait for me.":                                     requires,
		"All unit and integration tests must pass before we tag.":                         requires,
		"yep, let's do this in 3 commits":                                                 requires,
		"make a new branch":                                                               requires,
		"Use slog not zap":                                                                requires,
		"From now on use tabs":                                                            requires,
		"simplify this repo, make sure to de-slop it":                                     requires,
		"When creating PR ALWAYS create in draft mode":                                    requires,
		"I need them to match with 1 screenshot":                                          requires,
		"yep, add the minimal fix in one commit, then test it in another commit.":         requires,
		"I think by file should be removed":                                               requires,
		"no it needs to be the terminal with git sync":                                    requires,
		"Ask me before you merge.":                                                        requires,
		"instead of a map use a slice":                                                    requires,
		"When debugging, always start with the logs":                                      requires,
		"Work on one branch for now but make commits that could later be split into PRs.": requires,

		"This commit is logic-only.":                   "",
		"should we use X?":                             "",
		"should we add the docker optional tests now?": "",
		"I don't think so":                             "",
		"the tests don't pass":                         "",
		"never mind":                                   "",
		"I've only recently started seeing this":       "",
		"it only fails at night":                       "",
		"the test you wrote never finishes":            "",
		"no, I did":                                    "",
		"No problem":                                   "",
		"no need":                                      "",
		"keep going":                                   "",
		"it also always seems to be this same hash, I think?":        "",
		"do I need to increment the versions":                        "",
		"why does it keep failing":                                   "",
		"When everything is done, ship it, no confirmation needed.":  "",
		"the stop hook fires":                                        "",
		"we did a migration, that should have been a one-off":        "",
		"this should be fine":                                        "",
		"I want to add ssh":                                          "",
		"i need to figure out how to run this project":               "",
		"that must have been it":                                     "",
		"He did it without errors":                                   "",
		"The other one is used instead.":                             "",
		"didn't we already change it to access_token?":               "",
		"You are a coding agent working in /srv/shop. Use the tools": "",
		"it doesn't mean the stop hook caused it":                    "",
		"commit":  "",
		"Fix it.": "",
	} {
		got, _ := englishRule(strings.ToLower(text))
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
