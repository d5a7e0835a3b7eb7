package transcript

import (
	"bytes"

	"github.com/pith-memory/pith"
	"github.com/pith-memory/pith/jsonscan"
)

// documentFormat tells whose a file is that is one JSON value, or a row of an
// evaluation, from its first bytes; "" where it is none of them.
func documentFormat(head []byte) pith.Format {
	if len(head) == 0 {
		return ""
	}
	if head[0] == '[' {
		return listFormat(head)
	}
	if head[0] != '{' {
		return ""
	}
	var keys keySet
	keys.read(head)
	switch {
	case keys.has("simulations") || keys.has("info") && memberHas(keys.value("info"), "environment_info"):
		return pith.FormatTauBench
	case keys.isEvent():
		return pith.FormatOpenHands
	case bytes.HasPrefix(trimQuote(keys.value("trajectory_format")), []byte("mini-swe-agent")):
		return pith.FormatMiniSWEAgent
	case keys.has("messages") && keys.has("info") && !keys.has("model"):
		info := memberKeys(keys.value("info"))
		if info.has("mini_version") || info.has("exit_status") || info.has("model_stats") {
			return pith.FormatMiniSWEAgent
		}
	}
	for _, key := range []string{"trajectory", "history", "events"} {
		first := firstElement(keys.value(key))
		if len(first) > 0 && first[0] == '[' {
			first = firstElement(first)
		}
		k := memberKeys(first)
		switch {
		case k.isEvent():
			return pith.FormatOpenHands
		case key == "trajectory" && k.has("action") && (k.has("observation") || k.has("response")):
			return pith.FormatSWEAgent
		case key == "history" && k.has("role") && k.has("agent"):
			return pith.FormatSWEAgent
		}
	}
	return ""
}

func listFormat(head []byte) pith.Format {
	first := firstElement(head)
	if len(first) > 0 && first[0] == '[' {
		first = firstElement(first)
	}
	k := memberKeys(first)
	switch {
	case k.isEvent():
		return pith.FormatOpenHands
	case k.has("task_id") && k.has("traj"), k.has("task_id") && k.has("reward") && k.has("trial"), k.has("task_id") && k.has("reward") && k.has("info"):
		return pith.FormatTauBench
	case k.has("role") && bytes.Contains(head, []byte("<returncode>")) && bytes.Contains(head, []byte("```")):
		return pith.FormatMiniSWEAgent
	case k.has("role") && bytes.Contains(head, []byte("```mswea_bash_command")):
		return pith.FormatMiniSWEAgent
	}
	return ""
}

func trimQuote(b []byte) []byte { return bytes.TrimLeft(b, `"`) }

// keySet are the members of an object of which the end may be missing.
type keySet struct {
	object []byte
	names  []string
	starts []int
}

func memberKeys(object []byte) (k keySet) {
	k.read(object)
	return k
}

func (k *keySet) read(object []byte) {
	c := jsonscan.New(object)
	if c.Peek() != '{' {
		return
	}
	k.object = object
	c.Object()
	for len(k.names) < 64 {
		key, ok := c.Key()
		if !ok {
			return
		}
		c.Peek()
		k.names = append(k.names, string(key))
		k.starts = append(k.starts, c.Pos())
		c.Skip()
	}
}

func (k *keySet) has(name string) bool { return k.value(name) != nil }

// value is what stands behind a key, up to the end of the head.
func (k *keySet) value(name string) []byte {
	for i, n := range k.names {
		if n == name && k.starts[i] < len(k.object) {
			return k.object[k.starts[i]:]
		}
	}
	return nil
}

// isEvent tells an event of OpenHands.
func (k *keySet) isEvent() bool {
	action := k.has("action") && (k.has("args") || k.has("source"))
	return action && !k.has("response") || k.has("observation") && k.has("extras") && k.has("content")
}

// firstElement is the first element of a list, up to the end of the head.
func firstElement(list []byte) []byte {
	c := jsonscan.New(list)
	if c.Peek() != '[' || !c.Array() || !c.More() {
		return nil
	}
	return list[c.Pos():]
}

func memberHas(object []byte, name string) bool {
	k := memberKeys(object)
	return k.has(name)
}
