package rules

import (
	"bytes"
	"slices"
	"strings"

	"midwire/session/diagnose"
	"midwire/session/wire"
	"midwire/session/words"
)

// handles are the opaque values that results issued and that later calls
// used: the state that tools keep for their callers (2026-07-28
// server/tools). There is one for a recording.
type handles struct {
	byValue map[string]*handle
	order   []string
}

type handle struct {
	value   string
	key     string // how the result named it, "" when it stood in text
	session int
	n       uint64 // frame of the result
	tool    string // that issued it
	used    uint64 // latest call that passed it and got its response well
}

const maxHandles = 4096

// learn keeps the handles of a result.
func (h *handles) learn(c *diagnose.Case) {
	if len(c.Message.Result) > 256<<10 {
		return
	}
	found := 0
	keep := func(key, value string) {
		if found++; found > 16 || !opaque(value) {
			return
		}
		if h.byValue[value] != nil {
			return
		}
		if len(h.order) >= maxHandles {
			delete(h.byValue, h.order[0])
			h.order = append(h.order[:0], h.order[1:]...)
		}
		h.order = append(h.order, value)
		made(&h.byValue)[value] = &handle{value: value, key: key, session: c.Session.Index, n: c.N, tool: c.Call.Target}
	}
	wire.Each(c.Result("structuredContent"), func(key, value []byte) bool {
		if len(value) > 2 && value[0] == '"' && namesHandle(string(key)) {
			keep(string(key), wire.Said(value))
		}
		return true
	})
	content := c.Result("content")
	if len(content) < 3 || bytes.IndexByte(content[1:], '[') < 0 {
		return
	}
	wire.Items(content, func(_ int, item []byte) bool {
		bracketed(wire.Said(wire.Get(item, "text")), keep)
		return true
	})
}

// bracketed calls keep with what a text says in brackets, like [session: abc].
func bracketed(text string, keep func(key, value string)) {
	for range 8 {
		_, rest, ok := strings.Cut(text, "[")
		if !ok {
			return
		}
		inner, after, ok := strings.Cut(rest, "]")
		if !ok {
			return
		}
		text = after
		key, value, ok := strings.Cut(inner, ":")
		if ok && len(inner) < 200 && namesHandle(key) {
			keep(strings.TrimSpace(key), strings.TrimSpace(value))
		}
	}
}

func (h *handles) used(c *diagnose.Case, yield func(key string, h *handle)) {
	if len(h.byValue) == 0 {
		return
	}
	wire.Each(c.Call.Args, func(key, value []byte) bool {
		if len(value) > 2 && value[0] == '"' {
			if one := h.byValue[wire.Said(value)]; one != nil {
				yield(string(key), one)
			}
		}
		return true
	})
}

// opaque says whether a value looks like an id that was made up: long
// enough, one word, and not a plain one.
func opaque(s string) bool {
	if len(s) < 6 || len(s) > 256 || strings.ContainsAny(s, " \t\n/\\") {
		return false
	}
	return strings.ContainsAny(s, "0123456789") || len(s) >= 16
}

var handleWords = []string{"id", "session", "handle", "token", "cursor", "key"}

func namesHandle(key string) bool {
	key = words.Fold(strings.TrimSpace(key))
	ends := func(word string) bool { return strings.HasSuffix(key, word) }
	return len(key) < 64 && slices.ContainsFunc(handleWords, ends)
}

// learnHandles is asked about results before the rules that use handles.
func learnHandles(c *diagnose.Case) *handles {
	h := diagnose.Shared[handles](c)
	if c.Call == nil || c.Call.Dir != wire.ToServer || c.Message.Kind != wire.MsgResult || failure(c) != "" {
		return h
	}
	h.used(c, func(_ string, one *handle) { one.used = c.Call.N })
	h.learn(c)
	return h
}
