package extract

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A polarity says what a rule does.
const (
	forbids  = "forbid"
	requires = "require"
	limits   = "limit"
)

// cueTable lists what marks a rule in one language. Phrases are in lower
// case; in languages with spaces they match whole words.
type cueTable struct {
	forbid, limit, require []string
	// subjects begin a statement: limit and require cues do not count after them.
	subjects []string
	// negations stand before an imperative at the beginning of a clause;
	// statements are the words after one that make it a statement.
	negations, statements []string
	// without marks a forbidden side effect.
	without []string
	// exceptions begin the part of a rule that lifts it.
	exceptions []string
	// scopes say how far a rule reaches.
	scopes []string
	// verbs are the endings of a word after "always" that make a statement.
	verbs []string
}

// modals make a rule of a sentence that begins like a statement.
var modals = []string{"muss", "müssen", "darf", "dürfen", "soll", "sollen", "debe", "deben", "deve", "devem", "doit", "doivent", "il faut", "нельзя", "должен", "должна", "должны", "должно"}

var englishExceptions = []string{"unless ", "except ", "until ", "other than ", "apart from ", "aside from ", "as long as ", "only if ", "only when ", "only after "}

var englishScopes = []string{
	"for this run", "for this session", "for this task", "for this pr", "for this commit", "for this branch", "for this change", "for this one",
	"this time", "for now", "for the moment", "just this once", "in this session", "in this pr", "in this branch", "in this commit",
	"from now on", "going forward", "today", "until tomorrow", "for the next", "in this run", "on this branch", "during this",
}

func tableFor(language string) *cueTable {
	switch language {
	case "es":
		return &spanish
	case "pt":
		return &portuguese
	case "fr":
		return &french
	case "de":
		return &german
	case "ru":
		return &russian
	case "zh":
		return &chinese
	case "ja":
		return &japanese
	case "ko":
		return &korean
	}
	return nil
}

var spanish = cueTable{
	forbid:     []string{"nunca", "jamás", "nada de", "no debes", "no debe", "no deben", "no se debe", "no quiero", "prohibido", "prohibida", "evita", "evite", "deja de", "ya no"},
	limit:      []string{"solo", "sólo", "solamente", "únicamente", "a menos que", "salvo", "excepto", "como máximo", "como mucho", "a lo sumo", "máximo"},
	require:    []string{"siempre", "debe", "deben", "debes", "tiene que", "tienes que", "hay que", "asegúrate", "asegurate", "asegúrese", "mantén", "mantenga", "en lugar de", "en vez de", "quiero que", "necesito que", "prefiero", "a partir de ahora", "espera a", "pregúntame", "pregunta antes"},
	subjects:   []string{"yo", "él", "ella", "esto", "eso", "el", "la", "los", "las", "hay", "creo"},
	negations:  []string{"no"},
	statements: []string{"es", "sé", "hay", "está", "están", "tengo", "tiene", "puedo", "funciona", "sirve", "fue", "era", "entiendo", "veo", "creo", "pasa", "importa", "hace", "estoy", "son", "se", "lo", "me", "quedó"},
	without:    []string{"sin "},
	exceptions: []string{"a menos que", "salvo", "excepto", "hasta que"},
	scopes:     []string{"esta vez", "por ahora", "en esta sesión", "en esta rama", "a partir de ahora", "hoy"},
}

var portuguese = cueTable{
	forbid:     []string{"nunca", "jamais", "não deve", "não devem", "não pode", "não quero", "proibido", "evite", "evita", "pare de"},
	limit:      []string{"só", "somente", "apenas", "a menos que", "salvo", "exceto", "no máximo"},
	require:    []string{"sempre", "deve", "devem", "precisa", "tem que", "tem de", "certifique-se", "garanta", "mantenha", "mantém", "deixe", "em vez de", "ao invés de", "quero que", "preciso que", "prefiro", "a partir de agora", "espere", "pergunte antes"},
	subjects:   []string{"eu", "ele", "ela", "isso", "isto", "o", "os", "as", "acho", "há"},
	negations:  []string{"não", "nao"},
	statements: []string{"é", "sei", "foi", "está", "estou", "tem", "temos", "há", "funciona", "consigo", "entendi", "entendo", "acho", "era", "são", "vi", "tenho", "deu", "vejo", "parece"},
	without:    []string{"sem "},
	exceptions: []string{"a menos que", "salvo", "exceto", "até que", "a não ser que"},
	scopes:     []string{"desta vez", "por enquanto", "por ora", "nesta sessão", "nesta branch", "a partir de agora", "hoje"},
}

var french = cueTable{
	forbid:     []string{"jamais", "il ne faut pas", "ne doit pas", "ne doivent pas", "je ne veux pas", "interdit", "interdite", "évite", "évitez", "arrête de", "arrêtez de"},
	limit:      []string{"seulement", "uniquement", "sauf", "à moins que", "à moins de", "au maximum", "au plus", "maximum"},
	require:    []string{"toujours", "doit", "doivent", "dois", "il faut", "assure-toi", "assurez-vous", "n'utilise que", "n'utilisez que", "garde", "gardez", "conserve", "conservez", "laisse", "laissez", "plutôt que", "au lieu de", "je veux que", "je préfère", "désormais", "à partir de maintenant", "attends", "attendez", "demande-moi", "demandez-moi"},
	subjects:   []string{"je", "elle", "ça", "ce", "c'est", "cela", "le", "la", "les", "on"},
	negations:  []string{"ne"},
	statements: []string{"sais", "marche", "fonctionne", "sont", "comprends"},
	without:    []string{"sans "},
	exceptions: []string{"à moins que", "à moins de", "sauf", "jusqu'à ce que", "hormis", "excepté"},
	scopes:     []string{"cette fois", "pour l'instant", "pour cette session", "dans cette branche", "désormais", "aujourd'hui"},
}

var german = cueTable{
	forbid:     []string{"nie", "niemals", "nicht", "kein", "keine", "keinen", "keinerlei", "vermeide", "vermeiden", "verboten", "unterlasse"},
	limit:      []string{"nur", "ausschließlich", "lediglich", "außer", "es sei denn", "höchstens", "maximal"},
	require:    []string{"immer", "muss", "müssen", "musst", "soll", "sollen", "sollte", "stelle sicher", "stell sicher", "achte darauf", "behalte", "statt", "anstatt", "ich möchte, dass", "ich will, dass", "bevorzuge", "ab jetzt", "ab sofort", "warte", "frag", "frage mich"},
	subjects:   []string{"ich", "wir", "es", "das", "die", "der", "er", "sie", "dies", "diese", "dieser", "da", "warum", "man"},
	without:    []string{"ohne "},
	exceptions: []string{"es sei denn", "außer", "bis "},
	scopes:     []string{"diesmal", "dieses mal", "vorerst", "fürs erste", "in dieser sitzung", "auf diesem branch", "ab jetzt", "ab sofort", "heute"},
}

var russian = cueTable{
	forbid:     []string{"никогда", "нельзя", "запрещено", "запрещается", "избегай", "избегайте", "не надо", "не нужно", "не следует", "не должен", "не должна", "не должно", "не должны", "не хочу"},
	limit:      []string{"только", "лишь", "кроме", "если только", "не более", "не больше", "максимум"},
	require:    []string{"всегда", "должен", "должна", "должны", "должно", "необходимо", "обязательно", "убедись", "убедитесь", "оставь", "оставьте", "сохрани", "сохраняй", "вместо", "отныне", "подожди", "подождите", "спроси", "спросите", "хочу, чтобы"},
	subjects:   []string{"я", "он", "она", "оно", "это", "мы", "они"},
	negations:  []string{"не"},
	statements: []string{"работает", "знаю", "понимаю", "вижу", "могу", "было", "был", "так", "думаю", "получается", "важно", "помогло"},
	without:    []string{"без "},
	exceptions: []string{"кроме", "если только", "пока не", "за исключением"},
	scopes:     []string{"на этот раз", "пока что", "в этой сессии", "в этой ветке", "отныне", "сегодня"},
	verbs:      []string{"ет", "ит", "ют", "ут", "ят", "ат", "ется", "ится"},
}

var chinese = cueTable{
	forbid:     []string{"不要", "不得", "不许", "不許", "不准", "禁止", "切勿", "请勿", "請勿", "别改", "别动", "别用", "别删", "別改", "別動", "別用", "別刪", "不可以", "不应", "不應", "严禁", "嚴禁", "不能改", "不能修改", "不能动", "不能删", "不能用", "不能使用", "不能提交", "不能推送", "不能破坏", "不能影响", "不再"},
	limit:      []string{"只能", "仅", "僅", "只需", "只允许", "只允許", "只用", "只在", "只改", "只修改", "只动", "只動", "只读", "只讀", "只分析", "除非", "最多", "不超过", "不超過", "以内", "以內"},
	require:    []string{"必须", "必須", "务必", "務必", "一定要", "始终", "始終", "总要", "總要", "应该", "應該", "应当", "應當", "确保", "確保", "保持", "请先", "請先", "先问", "先問", "改用", "而不是", "从现在", "從現在", "以后都", "以後都"},
	exceptions: []string{"除非", "除了", "直到", "除外"},
	scopes:     []string{"这次", "這次", "本次", "暂时", "暫時", "目前先", "从现在起", "今天"},
}

var japanese = cueTable{
	forbid:     []string{"ないでください", "ないで下さい", "ないでほしい", "しないで", "てはいけ", "てはなら", "ではいけ", "禁止", "しないこと", "ないこと", "避けて", "やめて", "厳禁", "は不可", "触らない"},
	limit:      []string{"だけ", "のみ", "以外", "に限", "最大", "以内"},
	require:    []string{"必ず", "常に", "なければなら", "べき", "すること", "ようにして", "代わりに", "今後は", "保って", "維持して", "ではなく", "前に確認", "前に聞", "前に相談"},
	exceptions: []string{"以外", "を除", "限り", "まで"},
	scopes:     []string{"今回", "とりあえず", "今のところ", "このセッション", "このブランチ", "今後"},
}

var korean = cueTable{
	forbid:     []string{"지 마세요", "지 마십시오", "지 마라", "지 말", "지마", "안 됩니다", "안 돼", "안됩니다", "금지", "지 않도록", "지 않게", "말 것", "지 마"},
	limit:      []string{"에만", "만 사용", "만 허용", "만 수정", "만 변경", "만 해", "오직", "최대", "이내", "제외", "외에는"},
	require:    []string{"반드시", "항상 ", "해야", "꼭", "전에 물어", "전에 확인", "전에 먼저", "유지", "대신", "앞으로는", "도록 하", "도록 해"},
	exceptions: []string{"제외", "까지", "않는 한", "경우를 빼고", "외에는"},
	scopes:     []string{"이번", "일단", "당분간", "이 세션", "이 브랜치", "앞으로"},
}

// match tells whether lower, a sentence in lower case, is a rule.
func (t *cueTable) match(lower string) (polarity string, ok bool) {
	if t == &korean && strings.Contains(lower, "항상") && !strings.Contains(lower, "세요") && !strings.Contains(lower, "해야") && !strings.Contains(lower, "십시오") {
		return "", false
	}
	spaced := t.subjects != nil
	has := func(list []string) bool {
		for _, p := range list {
			if spaced && hasPhrase(lower, p) && !t.states(lower, p) || !spaced && strings.Contains(lower, p) {
				return true
			}
		}
		return false
	}
	statement := spaced && beginsWithAny(lower, t.subjects) && !has(modals)
	switch {
	case !statement && (has(t.forbid) || t.negatedCommand(lower) || t.sideEffect(lower)):
		return forbids, true
	case !statement && has(t.limit):
		return limits, true
	case !statement && has(t.require):
		return requires, true
	}
	return "", false
}

// states: the word after the phrase is a verb of the third person.
func (t *cueTable) states(lower, phrase string) bool {
	if t.verbs == nil {
		return false
	}
	after, _, _ := strings.Cut(strings.TrimSpace(lower[phraseAt(lower, phrase)+len(phrase):]), " ")
	after = strings.TrimPrefix(after, "не ")
	for _, v := range t.verbs {
		if strings.HasSuffix(strings.TrimRight(after, ".,!"), v) {
			return true
		}
	}
	return false
}

// negatedCommand: a clause begins with a negation, and what follows is no statement.
func (t *cueTable) negatedCommand(lower string) bool {
	for _, clause := range strings.FieldsFunc(lower, func(r rune) bool { return strings.ContainsRune(",:;.(—–-", r) }) {
		words := strings.Fields(clause)
		for len(words) > 2 && connects(words[0]) {
			words = words[1:]
		}
		if len(words) >= 2 && isOneOf(words[0], t.negations...) && !isOneOf(words[1], t.statements...) {
			return true
		}
		if len(words) >= 2 && strings.HasPrefix(words[0], "n'") && len(t.negations) > 0 && t.negations[0] == "ne" {
			return true
		}
	}
	return false
}

func connects(w string) bool {
	switch w {
	case "y", "e", "et", "und", "и", "mas", "pero", "mais", "aber", "но", "por", "favor", "então", "entonces", "alors", "also", "bitte", "пожалуйста", "а":
		return true
	}
	return false
}

// sideEffect: "sin tocar", "sem alterar", "sans modifier", "ohne ... zu".
func (t *cueTable) sideEffect(lower string) bool {
	for _, p := range t.without {
		if hasPhrase(lower, strings.TrimSpace(p)) {
			return true
		}
	}
	return false
}

func beginsWithAny(s string, words []string) bool {
	for _, w := range words {
		if strings.HasPrefix(s, w) && (len(s) == len(w) || s[len(w)] == ' ') {
			return true
		}
	}
	return false
}

// plainLower is a text in lower case with plain apostrophes, as the cues are written.
func plainLower(text string) string {
	return strings.ToLower(strings.ReplaceAll(text, "’", "'"))
}

func isOneOf(w string, words ...string) bool { return slices.Contains(words, w) }

// hasPhrase finds a phrase that is bounded by what is no letter or digit.
func hasPhrase(s, phrase string) bool { return phraseAt(s, phrase) >= 0 }

func phraseAt(s, phrase string) int {
	for from := 0; ; {
		i := strings.Index(s[from:], phrase)
		if i < 0 {
			return -1
		}
		i += from
		if !wordBefore(s, i) && !wordAfter(s, i+len(phrase)) {
			return i
		}
		from = i + 1
	}
}

func wordBefore(s string, i int) bool {
	r, _ := utf8.DecodeLastRuneInString(s[:i])
	return isWordRune(r)
}

func wordAfter(s string, i int) bool {
	r, _ := utf8.DecodeRuneInString(s[i:])
	return isWordRune(r)
}

// isWordRune tells whether a rune can be part of a word.
func isWordRune(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
}
