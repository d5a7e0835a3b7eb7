package extract

import (
	"strings"

	"github.com/pith-memory/pith"
)

// workWords mark a kind of work. A trailing * matches the beginning of a word.
// Where two kinds score the same, the one listed first wins.
var workWords = [...]struct {
	kind  pith.WorkType
	words []string
}{
	{pith.WorkBugfix, []string{"fix", "fixes", "fixing", "bug", "bugs", "broken", "crash*", "race", "regression*", "fails", "failing", "error", "deadlock", "leak*", "wrong", "not working", "n't working", "n't work", "corrig*", "corrij*", "arregl*", "erro", "fehler", "beheb*", "reparier*", "korrigier*", "исправ*", "баг*", "ошибк*", "修复", "修復", "修正", "バグ", "不具合", "버그", "수정", "고쳐"}},
	{pith.WorkMigration, []string{"migrate*", "migration*", "migrating", "upgrade", "port", "convert", "migra", "migre", "migrar*", "migrer", "migriere", "migrieren", "перенес*", "миграц*", "迁移", "遷移", "移行", "마이그레이션"}},
	{pith.WorkRefactor, []string{"refactor*", "simplif*", "rename", "restructure", "clean", "cleanup", "deduplicate", "extract", "de-slop", "split", "refatora*", "refactoriza*", "simplifica*", "vereinfach*", "umbenenn*", "рефактор*", "упрост*", "重构", "重構", "リファクタ", "리팩터", "리팩토"}},
	{pith.WorkRelease, []string{"release", "deploy", "publish", "ship", "tag", "changelog", "rollout", "bump", "lança", "publica*", "despliega", "implante", "déploie", "veröffentlich*", "выпуст*", "релиз*", "задеплой*", "发布", "發布", "リリース", "배포"}},
	{pith.WorkFeature, []string{"add", "implement", "implementing", "create", "build a", "build an", "build me", "support", "introduce", "write", "feature", "adicion*", "agrega", "añad*", "implementa*", "crie", "crea", "ajoute*", "implémente*", "füge", "hinzu", "erstell*", "добав*", "реализ*", "созда*", "添加", "增加", "实现", "實現", "追加", "作成", "実装", "추가", "구현"}},
	{pith.WorkInvestigation, []string{"why", "investigate", "explain", "analyse", "analyze", "review", "explore", "debug", "understand", "summarise", "summarize", "compare", "research", "look into", "figure out", "find out", "check", "slow", "explica*", "explique", "investig*", "analisa*", "analiza*", "revis*", "pourquoi", "warum", "erkläre", "untersuch*", "почему", "объясн*", "разбер*", "为什么", "為什麼", "分析", "检查", "檢查", "解释", "調べ", "なぜ", "説明", "왜", "분석", "조사", "설명", "확인"}},
}

// maxWorkBytes is how much of a request is read for the kind of work.
const maxWorkBytes = 240

// workType reads the kind of work from the user's own words: the goal counts
// most, and a later request only where the goal does not tell.
func workType(goal string, amendments []pith.Amendment) pith.WorkType {
	if w := scoreWork(goal); w != pith.WorkUnspecified {
		return w
	}
	for i := range amendments {
		if w := scoreWork(amendments[i].Text); w != pith.WorkUnspecified {
			return w
		}
	}
	return pith.WorkUnspecified
}

func scoreWork(text string) pith.WorkType {
	lower := strings.ToLower(cutTo(text, maxWorkBytes))
	var scores [len(workWords)]int
	earliest, first := len(lower), -1
	for i := range workWords {
		for _, w := range workWords[i].words {
			n, at := countWork(lower, w)
			scores[i] += n
			if n > 0 && at < earliest {
				earliest, first = at, i
			}
		}
	}
	if first < 0 {
		return pith.WorkUnspecified
	}
	// What is asked for first weighs more: the rest may be rules and reasons.
	scores[first]++
	best := 0
	for i := range scores {
		if scores[i] > scores[best] {
			best = i
		}
	}
	return workWords[best].kind
}

// countWork counts a word, and says where it stands first.
func countWork(lower, w string) (n, first int) {
	stem, prefix := strings.CutSuffix(w, "*")
	from := 0
	for {
		i := strings.Index(lower[from:], stem)
		if i < 0 {
			return n, first
		}
		i += from
		from = i + len(stem)
		// Chinese, Japanese and Korean put no space around a word.
		bounded := stem[0] >= 0xe3 || !wordBefore(lower, i) && (prefix || !wordAfter(lower, from))
		if bounded && !inPath(lower, i, from) {
			if n == 0 {
				first = i
			}
			n++
		}
	}
}

// inPath tells whether the word is part of a path or of a longer name.
func inPath(s string, start, end int) bool {
	if start > 0 && strings.IndexByte("/._-", s[start-1]) >= 0 {
		return true
	}
	return end+1 < len(s) && strings.IndexByte("/.-_", s[end]) >= 0 && (s[end] == '/' || !wordBefore(s, end+1) && wordAfter(s, end+1))
}
