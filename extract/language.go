package extract

import (
	"strings"
	"sync"
	"unicode"
)

// functionWords are short words that give a language of the Latin script away.
var functionWords = []struct {
	language string
	words    []string
}{
	{"en", []string{"the", "and", "is", "to", "of", "you", "that", "it", "in", "for", "with", "this", "we", "please", "can", "not", "are", "on", "be", "i", "an", "what", "why", "how", "from", "should", "do", "as", "if", "when", "then", "my", "your", "all", "or", "by", "after", "before", "one"}},
	{"es", []string{"el", "la", "los", "las", "que", "de", "y", "por", "una", "un", "con", "es", "se", "lo", "esta", "este", "como", "pero", "más", "del", "al", "para", "en", "sin", "está", "qué", "también", "nunca", "siempre"}},
	{"pt", []string{"o", "os", "as", "que", "de", "em", "e", "não", "uma", "um", "com", "por", "é", "se", "do", "da", "essa", "esse", "isso", "você", "então", "também", "sempre", "só", "para", "nunca", "está", "ao", "sem", "apenas", "deixe", "mantenha", "corrija"}},
	{"fr", []string{"le", "la", "les", "des", "et", "est", "une", "un", "que", "pour", "dans", "sur", "pas", "ne", "avec", "ce", "cette", "je", "tu", "vous", "il", "du", "au", "à", "sans", "toujours", "jamais", "de", "n", "l", "qu", "aucun", "aucune", "uniquement", "utilise", "garde", "faut", "ça"}},
	{"de", []string{"der", "die", "das", "und", "ist", "nicht", "ein", "eine", "mit", "für", "auf", "den", "dem", "zu", "im", "ich", "du", "wir", "bitte", "es", "von", "nur", "kein", "keine", "ohne", "immer", "nie", "niemals", "warum", "wie", "mich", "statt", "bevor", "füge", "etwas"}},
}

// languagesOf maps a function word to the languages that have it, a bit each.
var languagesOf = sync.OnceValue(func() map[string]uint8 {
	m := make(map[string]uint8, 160)
	for i := range functionWords {
		for _, w := range functionWords[i].words {
			m[w] |= 1 << i
		}
	}
	return m
})

// languageCounts gathers what tells the language of a conversation.
type languageCounts struct {
	han, kana, hangul, cyrillic, ukrainian, latin int
	words                                         [5]int
	// read counts the bytes so far.
	read int
}

const (
	// maxLanguageBytes is how much of one text is read: pasted bulk says little.
	maxLanguageBytes = 2000
	// enoughBytes tell the language; more would not change it.
	enoughBytes = 16000
)

func (l *languageCounts) add(text string) {
	if l.read > enoughBytes {
		return
	}
	text = text[:min(len(text), maxLanguageBytes)]
	l.read += len(text)
	start := -1
	for i, r := range text {
		if unicode.IsLetter(r) {
			if start < 0 {
				start = i
			}
			l.letter(r)
			continue
		}
		l.word(text, start, i)
		start = -1
	}
	l.word(text, start, len(text))
}

func (l *languageCounts) letter(r rune) {
	switch {
	case r < 0x250:
		l.latin++
		// Some letters give a language away.
		switch r {
		case 'ñ', '¿', '¡':
			l.words[1]++
		case 'ã', 'õ':
			l.words[2]++
		case 'è', 'ê', 'œ':
			l.words[3]++
		case 'ß', 'ü', 'ä', 'ö':
			l.words[4]++
		}
	case r >= 0x3040 && r <= 0x30ff:
		l.kana++
	case r >= 0xac00 && r <= 0xd7af:
		l.hangul++
	case unicode.Is(unicode.Han, r):
		l.han++
	case r >= 0x400 && r <= 0x4ff:
		l.cyrillic++
		if strings.ContainsRune("іїєґІЇЄҐ", r) {
			l.ukrainian++
		}
	}
}

func (l *languageCounts) word(text string, start, end int) {
	if start < 0 || end-start > 12 {
		return
	}
	set := languagesOf()[strings.ToLower(text[start:end])]
	for i := range l.words {
		l.words[i] += int(set >> i & 1)
	}
}

// language is the BCP 47 code, "" where the text does not tell.
func (l *languageCounts) language() string {
	// A character of these scripts says as much as several Latin letters.
	if east := l.han + l.kana + l.hangul; east*4 > l.latin && east*2 > l.cyrillic {
		switch {
		case l.hangul > l.han+l.kana:
			return "ko"
		case l.kana*8 > l.han:
			return "ja"
		default:
			return "zh"
		}
	}
	if l.cyrillic*2 > l.latin {
		if l.ukrainian > 0 {
			return "uk"
		}
		return "ru"
	}
	best, code := 0, ""
	for i := range functionWords {
		if l.words[i] > best {
			best, code = l.words[i], functionWords[i].language
		}
	}
	return code
}

// languageOf guesses the language of one text.
func languageOf(text string) string {
	var l languageCounts
	l.add(text)
	return l.language()
}

var languageNames = []struct{ code, names string }{
	{"pt", "em português,em portugues,in portuguese,en portugués,en portugais,auf portugiesisch"},
	{"es", "en español,en espanol,in spanish,en castellano,em espanhol,en espagnol,auf spanisch"},
	{"fr", "en français,en francais,in french,en francés,em francês,auf französisch"},
	{"de", "auf deutsch,in german,en alemán,em alemão,en allemand"},
	{"en", "in english,en inglés,em inglês,en anglais,auf englisch,по-английски,на английском,用英文,用英语,用英語,英語で,영어로"},
	{"ru", "по-русски,на русском,in russian,auf russisch"},
	{"zh", "用中文,用汉语,in chinese,in mandarin,中国語で,중국어로"},
	{"ja", "日本語で,in japanese,用日语,用日文,일본어로"},
	{"ko", "한국어로,in korean,用韩语,韓国語で"},
	{"it", "in italiano,in italian"},
	{"nl", "in het nederlands,in dutch"},
	{"pl", "po polsku,in polish"},
	{"uk", "українською,in ukrainian"},
}

var answering = []string{"answer", "respond", "reply", "write", "speak", "talk", "communicate", "responda", "responde", "fale", "habla", "escreva", "escribe", "contesta", "répond", "écri", "parle", "antwort", "schreib", "sprich", "ответ", "отвеч", "пиши", "говори", "回答", "回复", "回覆", "答え", "返答", "返信", "答", "답", "응답", "대답", "rispondi", "scrivi", "odpowiad", "відповід"}

// namedLanguages holds the names that languageNames lists.
var namedLanguages = sync.OnceValue(func() *phraseSet {
	var all []string
	for _, l := range languageNames {
		all = append(all, strings.Split(l.names, ",")...)
	}
	return newPhraseSet(all...)
})

// wishedLanguage reads an explicit wish for a language of the answers.
func wishedLanguage(sentence string) string {
	lower := strings.ToLower(sentence)
	if !namedLanguages().in(lower) {
		return ""
	}
	code := ""
	for _, l := range languageNames {
		for name := range strings.SplitSeq(l.names, ",") {
			if strings.Contains(lower, name) {
				code = l.code
			}
		}
	}
	if code == "" {
		return ""
	}
	for _, verb := range answering {
		if strings.Contains(lower, verb) {
			return code
		}
	}
	return ""
}

// languageSlot tells the language of the conversation.
type languageSlot struct {
	counts languageCounts
	wish   string
}

func (l *languageSlot) said(s *Said) {
	if !mayAmend(s) {
		return
	}
	// Logs and code would count as Latin text.
	sentences(s.Text, func(p sentence) {
		text := s.Text[p.start:p.end]
		l.counts.add(text)
		if len(text) < 400 {
			if w := wishedLanguage(text); w != "" {
				l.wish = w
			}
		}
	})
}

func (l *languageSlot) language() string {
	if l.wish != "" {
		return l.wish
	}
	return l.counts.language()
}
