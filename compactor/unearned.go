package compactor

import (
	"strings"
	"sync"
)

// markups open tool calls in the protocols of several model families. As text
// they mean that the model wanted to act instead of to answer.
var markups = [...]string{
	"<tool_call>", "<tool_call ", "<function_calls>", "<function_call>", "<function=", "<invoke name=", "<tool_use>", "[TOOL_CALLS]",
	"<|tool_call", "<|python_tag|>", "<｜tool▁call", "<|tool▁call", "<|channel|>commentary", "<tool_code>", "<parameter name=",
}

// findMarkup is the first tool protocol's opening in a text, "" for none.
func findMarkup(text string) string {
	for _, m := range markups {
		if strings.Contains(text, m) {
			return m
		}
	}
	return ""
}

// refusals are how models say no, in the languages that pith reads. They count
// only where there is no draft, and only at the beginning.
var refusals = [...]string{
	"i can't", "i cannot", "i can not", "i won't", "i will not", "i'm sorry", "i am sorry", "sorry,", "i'm unable", "i am unable",
	"i'm not able", "i am not able", "i must decline", "i have to decline", "as an ai", "i apologize", "unfortunately, i",
	"i prefer not", "not something i will do", "not comfortable",
	"lo siento", "no puedo", "no me es posible", "desculpe", "sinto muito", "não posso", "não consigo", "lamento",
	"je suis désolé", "désolé", "je ne peux pas", "je ne suis pas en mesure", "es tut mir leid", "tut mir leid", "ich kann nicht",
	"ich kann das nicht", "ich kann dabei nicht", "ich kann ihnen nicht", "leider kann ich", "извините", "я не могу", "к сожалению", "простите",
	"抱歉", "对不起", "對不起", "我无法", "我無法", "我不能", "申し訳", "できません", "お手伝いできない", "죄송", "할 수 없습니다", "도와드릴 수 없",
}

// refusalOpening is how far into an answer a refusal is looked for. Units: bytes.
const refusalOpening = 240

func refuses(text string) bool {
	text = strings.TrimSpace(text)
	opening := strings.ToLower(text[:runeBorder(text, refusalOpening)])
	opening = strings.ReplaceAll(opening, "’", "'")
	for _, r := range refusals {
		if strings.Contains(opening, r) {
			return true
		}
	}
	return false
}

// refusal is the text of a draft that is nothing but a refusal, "" for any
// other. A sentence that tells that something cannot be done is no refusal
// beside others that tell of the work.
func (d *Draft) refusal() string {
	text := ""
	for _, t := range d.texts() {
		if t == "" || t == d.Phase {
			continue
		}
		if !opensRefusal(t) {
			return ""
		}
		text = t
	}
	return text
}

// apologies are narrower than refusals: a task may well be told as "I can't log in".
var apologies = [...]string{
	"i'm sorry", "i am sorry", "sorry,", "i apologize", "as an ai", "i must decline", "i can't help", "i cannot help", "i can't assist",
	"i cannot assist", "i'm unable to", "i am unable to", "lo siento", "desculpe", "sinto muito", "je suis désolé", "désolé",
	"es tut mir leid", "tut mir leid", "извините", "простите", "抱歉", "对不起", "對不起", "申し訳", "죄송",
}

func opensRefusal(text string) bool {
	opening := strings.ReplaceAll(strings.ToLower(text[:runeBorder(text, 60)]), "’", "'")
	for _, a := range apologies {
		if strings.HasPrefix(opening, a) {
			return true
		}
	}
	return false
}

// runeBorder is the last border of a character at or before n.
func runeBorder(text string, n int) int {
	if n >= len(text) {
		return len(text)
	}
	for n > 0 && text[n]&0xC0 == 0x80 {
		n--
	}
	return n
}

// saysNothing tells a text that stands for an empty field. It is an honest
// answer to a field with nothing to say, and becomes empty.
func saysNothing(text string) bool {
	switch strings.ToLower(strings.Trim(text, " .-–—\"'()[]")) {
	case "", "n/a", "na", "none", "null", "nil", "nothing", "unspecified", "not applicable", "not specified", "no phase", "empty":
		return true
	}
	return false
}

// findPlaceholder is the first text of a draft that stands for one that was
// never written, "" for none.
func findPlaceholder(d *Draft) string {
	for _, text := range append(d.texts(), d.WorkType) {
		if isPlaceholder(strings.TrimSpace(text)) {
			return text
		}
	}
	return ""
}

// leastCopy is how long a text of the instruction must be to be one that
// nobody says by chance. Units: bytes.
const leastCopy = 20

func isPlaceholder(text string) bool {
	switch strings.ToLower(strings.Trim(text, " .:")) {
	case "string", "text", "todo", "tbd", "fixme", "…", "placeholder", "example", "lorem ipsum", "your answer here", "insert here":
		return true
	case "":
		return strings.Contains(text, "..")
	}
	if len(text) > 2 && (text[0] == '<' && text[len(text)-1] == '>' || strings.HasPrefix(text, "{{") && strings.HasSuffix(text, "}}")) {
		return !strings.ContainsAny(text[1:len(text)-1], "<>")
	}
	if len(text) < leastCopy {
		return false
	}
	return strings.Contains(plainInstruction(), plain(text))
}

var plainInstruction = sync.OnceValue(func() string { return plain(instruction) })

// plain is a text without the marks that a copy of it may lack.
func plain(text string) string {
	return strings.TrimRight(strings.ToLower(strings.ReplaceAll(text, "`", "")), ".\n ")
}
