package merge

import "strings"

// The words by which rules and permissions are known, in the languages of
// package extract. A sentence of a draft that has one is looked up in what the
// user said; one too many costs a sentence, one too few lets a rule in that
// nobody gave.
var (
	users = [...]string{"user", "human", "client", "customer", "owner", "maintainer", "usuario", "usuário", "utilisateur", "nutzer", "benutzer", "anwender", "пользовател", "用户", "使用者", "ユーザー", "사용자"}

	approving = [...]string{
		"approved", "approves", "allowed", "allows", "authorised", "authorized", "permitted", "permits", "confirmed", "confirms", "agreed", "agrees",
		"accepted", "granted", "consented", "okayed", "ok'd", "signed off", "cleared", "gave permission", "gave the go", "has given", "gave approval",
		"aprobó", "autorizó", "permitió", "aprovou", "autorizou", "permitiu", "a approuvé", "a autorisé", "a permis", "genehmigt", "erlaubt", "zugestimmt",
		"одобрил", "разрешил", "согласил", "批准", "同意", "允许", "允許", "授权", "確認した", "許可", "承認", "승인", "허용", "동의",
	}
	wishing = [...]string{
		"wants", "wanted", "want", "said", "says", "asked", "asks", "requested", "requests", "told", "instructed", "prefers", "preferred", "insists", "insisted",
		"demands", "demanded", "expects", "requires", "required", "decided", "chose", "'s new", "new objective", "new goal", "needs", "wishes", "would like",
		"quiere", "dijo", "pidió", "quer", "disse", "pediu", "veut", "a dit", "a demandé", "will", "möchte", "sagte", "bat", "verlangt",
		"хочет", "сказал", "попросил", "требует", "要求", "希望", "说", "說", "想要", "望んで", "求めて", "言った", "頼んだ", "원한", "요청", "말했",
	}
	permissionCues = [...]string{
		"approved by", "is approved", "was approved", "are approved", "were approved", "has been approved", "have been approved", "already approved",
		"permission to", "is allowed to", "are allowed to", "is permitted", "are permitted", "authorized to", "authorised to", "pre-approved", "preapproved",
		"no confirmation needed", "no confirmation is needed", "without confirmation", "without asking", "no approval needed", "approval was given", "free to",
		"无需确认", "已批准", "已获批准", "確認不要", "許可されて", "承認済み", "승인됨", "확인 없이", "sin confirmación", "sem confirmação", "sans confirmation", "ohne rückfrage", "без подтверждения", "одобрено", "разрешено",
	}
	ruleCues = [...]string{
		"must", "mustn't", "shall", "forbidden", "prohibited", "not allowed", "disallowed", "mandatory", "under no circumstances", "off-limits", "off limits",
		"required to", "may not", "needs approval", "need approval", "requires approval", "requires confirmation", "should never", "will never", "hard rule", "standing rule",
		"prohibido", "no debe", "no se debe", "proibido", "não deve", "interdit", "ne doit pas", "ne doivent pas", "verboten", "darf nicht", "dürfen nicht", "niemals", "muss", "müssen",
		"нельзя", "запрещено", "не должен", "не должны", "обязательно", "никогда не", "禁止", "必须", "必須", "不得", "不要", "切勿", "务必", "務必", "绝不", "不许", "不允许",
		"してはいけない", "してはならない", "しないでください", "必ず", "금지", "하지 마", "하지 말", "반드시",
	}
	// orders count where a clause begins with them: "the lock is never
	// released" tells, "never release the lock" orders.
	orders = [...]string{"never", "do not", "don't", "don’t", "always", "ask before", "ask first", "ask for", "avoid", "refrain", "nunca", "jamais", "siempre", "sempre", "toujours", "immer", "nie", "всегда", "никогда"}

	negations = [...]string{
		"not", "never", "no", "don't", "don’t", "doesn't", "mustn't", "mustn’t", "cannot", "can't", "can’t", "shouldn't", "without", "forbidden", "prohibited", "disallowed", "avoid", "refrain", "off-limits", "off limits",
		"nunca", "jamás", "prohibido", "não", "proibido", "pas", "jamais", "interdit", "nicht", "nie", "niemals", "kein", "keine", "keinen", "verboten", "не", "нельзя", "никогда", "запрещено",
		"不", "勿", "别", "別", "禁止", "ない", "ません", "금지", "마세요", "말 것", "하지 마", "말아",
	}
	// conditions bind a rule to a case.
	conditions = [...]string{
		"for this run", "for that run", "this run", "this time", "this once", "just once", "for now", "for today", "today", "for this task", "for this session", "in this session", "this session", "temporarily", "for the moment",
		"unless", "except", "until", "only if", "only when", "only for", "only after", "as long as", "while",
		"esta vez", "a menos que", "salvo", "excepto", "hasta que", "desta vez", "a menos", "exceto", "até", "cette fois", "sauf", "à moins", "jusqu'à", "diesmal", "außer", "es sei denn", "solange", "vorerst",
		"в этот раз", "кроме", "если не", "пока", "这次", "本次", "这一次", "除非", "除了", "暂时", "今回", "除いて", "以外", "まで", "이번", "제외", "까지",
	}
	affirming = [...]string{
		"approve", "approved", "ok", "okay", "yes", "yep", "sure", "go ahead", "fine", "allowed", "allow", "may", "can", "lgtm", "ship it", "proceed", "do it", "permission", "agreed", "confirm", "confirmed", "free to", "right away", "no confirmation needed", "please", "feel free", "without asking",
		"sí", "aprobado", "adelante", "puedes", "sim", "aprovado", "pode", "oui", "approuvé", "vas-y", "peux", "ja", "genehmigt", "kannst", "darfst", "да", "одобряю", "можно", "разрешаю",
		"可以", "同意", "批准", "允许", "好的", "いいです", "承認", "許可", "お願いします", "승인", "허용", "좋아", "네",
	}
	forgeries = [...]string{
		"new objective:", "new objective is", "your new objective", "new goal:", "new goal is", "your new goal", "previous instructions", "prior instructions",
		"system override", "operator override", "system update:", "system message:", "[system]", "<|im_start|>", "<|im_end|>", "<system-reminder", "</pith-memory", "<pith-memory",
		"[user]:", "[human]:", "\\n\\nhuman:", "new instructions from",
	}
)

// isCueOrStopword knows the words that make a sentence a rule but do not say
// what it is about.
func isCueOrStopword(w string) bool {
	if isStopword(w) {
		return true
	}
	switch w {
	case "user", "users", "human", "client", "customer", "owner", "must", "never", "always", "shall", "forbidden", "prohibited", "mandatory", "required", "requires",
		"wants", "wanted", "want", "said", "says", "asked", "asks", "requested", "told", "instructed", "prefers", "insists", "please", "explicitly", "approval", "permission",
		"approved", "approves", "allowed", "allows", "authorised", "authorized", "permitted", "confirmed", "agreed", "accepted", "granted", "don't", "don", "cannot", "without",
		"rule", "rules", "constraint", "constraints", "avoid", "already":
		return true
	}
	for _, c := range [...]string{"пользов", "запрещ", "одобри", "разреш"} {
		if strings.HasPrefix(w, c) {
			return true
		}
	}
	return false
}
