package rules

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf8"

	"midwire/session/diagnose"
	"midwire/session/evidence"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

var contentTypeDiffers = &diagnose.Rule{
	ID:      "content-type-differs",
	On:      diagnose.Results,
	Methods: []string{mcp.ToolsCall, mcp.ResourcesRead, mcp.PromptsGet},
	Check: func(c *diagnose.Case) {
		if c.Call == nil || c.Call.Dir != wire.ToServer ||
			!bytes.Contains(c.Message.Result, []byte(`data"`)) && !bytes.Contains(c.Message.Result, []byte(`blob"`)) {
			return
		}
		one := func(what string, item []byte, data string) {
			raw, said := wire.Get(item, data), text(wire.Get(item, "mimeType"))
			if len(raw) < 8 || raw[0] != '"' {
				return
			}
			is := sniffed(raw[1:])
			switch {
			case is != "" && said != is && !(said == "image/jpg" && is == "image/jpeg"):
				c.ReportAs(is+said, diagnose.Finding{
					Severity: wrongPicture(what, is, said), Frames: []uint64{c.N, c.Call.N},
					Message: "The " + what + " of " + about(c.Call) + " (" + frame(c.N) + ") has the mimeType " + quoteOr(said, "none") +
						", and its bytes are " + is + ". Clients that go by the mimeType do not show it, or refuse it.",
				})
			case is == "" && strings.HasPrefix(said, "text/") && data == "blob":
				c.Say("text", "The "+what+" of "+about(c.Call)+" ("+frame(c.N)+
					") is a blob, binary data in base64, and has the mimeType "+quote(said)+". Clients show the base64, or nothing.",
					c.N, c.Call.N)
			}
		}
		wire.Items(c.Result("contents"), func(_ int, item []byte) bool { one("resource", item, "blob"); return true })
		wire.Items(c.Result("content"), func(_ int, item []byte) bool {
			one(text(wire.Get(item, "type")), item, "data")
			one("resource", wire.Get(item, "resource"), "blob")
			return true
		})
	},
}

// wrongPicture is how grave it is that a mimeType is wrong: models refuse images of
// another type than they are told.
func wrongPicture(what, is, said string) diagnose.Severity {
	if what == "image" && strings.HasPrefix(is, "image/") && strings.HasPrefix(said, "image/") {
		return diagnose.Warning
	}
	return diagnose.Note
}

// sniffed is the media type that the first bytes of base64 say, "" for none that is
// known.
func sniffed(data []byte) string {
	head, err := base64.StdEncoding.DecodeString(string(data[:min(len(data), 24)/4*4]))
	if err != nil {
		return ""
	}
	for _, magic := range [...]struct{ begin, is string }{
		{"\x89PNG\r\n\x1a\n", "image/png"}, {"\xff\xd8\xff", "image/jpeg"}, {"GIF8", "image/gif"}, {"%PDF-", "application/pdf"},
	} {
		if bytes.HasPrefix(head, []byte(magic.begin)) {
			return magic.is
		}
	}
	if len(head) >= 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP" {
		return "image/webp"
	}
	return ""
}

var textGarbled = &diagnose.Rule{
	ID: "text-garbled", On: diagnose.Results, Methods: []string{mcp.ToolsCall, mcp.PromptsGet},
	Check: func(c *diagnose.Case) {
		if c.Call == nil || c.Call.Dir != wire.ToServer || !beyondASCII(c.Call.Args) {
			return
		}
		sent, got := foreign(c.Call.Args), ""
		if len(sent) == 0 {
			return
		}
		wire.Items(c.Result("content"), func(_ int, item []byte) bool {
			got += wire.Text(wire.Get(item, "text")) + "\n"
			return len(got) < maxGarbled
		})
		for _, word := range sent {
			for _, way := range [...]func(string) string{asCP1252, asLatin1, asQuestions} {
				wrong := way(word)
				ofSent := func(other string) bool { return strings.Contains(other, wrong) }
				if wrong == "" || strings.Contains(got, word) || !strings.Contains(got, wrong) ||
					slices.ContainsFunc(sent, ofSent) {
					continue
				}
				c.Say("", c.Client()+" sent "+quote(word)+" to "+about(c.Call)+", and the result has "+quote(wrong)+" in its place ("+frame(c.N)+"). The message was UTF-8; the server read or wrote it in another encoding.",
					c.N, c.Call.N)
				return
			}
		}
	},
}

const (
	maxGarbled = 64 << 10
	maxForeign = 32 // words
)

// beyondASCII says whether JSON holds characters outside ASCII, written out or escaped.
func beyondASCII(raw []byte) bool {
	for _, b := range raw[:min(len(raw), maxGarbled)] {
		if b >= utf8.RuneSelf {
			return true
		}
	}
	return bytes.Contains(raw[:min(len(raw), maxGarbled)], []byte(`\u`))
}

// foreign are words with characters outside ASCII in the strings of a JSON object, with
// the letters around them.
func foreign(raw []byte) (words []string) {
	wire.Each(raw, func(_, value []byte) bool {
		if len(value) == 0 || value[0] != '"' || len(value) > maxGarbled {
			return true
		}
		for word := range strings.FieldsSeq(text(value)) {
			short := len(words) < maxForeign && len(word) <= 64 && utf8.ValidString(word)
			if short && strings.ContainsFunc(word, func(r rune) bool { return r >= 0xA0 }) {
				words = append(words, word)
			}
		}
		return len(words) < maxForeign
	})
	return words
}

// cp1252 are the characters of the bytes 0x80 to 0x9F, 0 for those that have none.
var cp1252 = [32]rune{
	'€', 0, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', 0, 'Ž', 0,
	0, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', 0, 'ž', 'Ÿ',
}

// asCP1252 is a text as one sees it who reads its UTF-8 in the code page of Windows; "" where
// that has no character.
func asCP1252(s string) string {
	var b strings.Builder
	for i := range len(s) {
		r := rune(s[i])
		if r >= 0x80 && r < 0xA0 {
			r = cp1252[r-0x80]
		}
		if r == 0 {
			return ""
		}
		b.WriteRune(r)
	}
	return b.String()
}

// asLatin1 is the same in ISO 8859-1, which has a character for each byte.
func asLatin1(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteRune(rune(s[i]))
	}
	return b.String()
}

// asQuestions is a text with question marks for what has no place in an encoding; "" for
// a text of nothing else.
func asQuestions(s string) string {
	wrong := strings.Map(func(r rune) rune {
		if r >= utf8.RuneSelf {
			return '?'
		}
		return r
	}, s)
	if strings.Trim(wrong, "?.,!") == "" || strings.Count(wrong, "?") < 1 || len(wrong) < 4 {
		return ""
	}
	return wrong
}

var metaNotReceived = &diagnose.Rule{
	ID:      "meta-not-received",
	On:      diagnose.FailedCalls,
	Methods: []string{mcp.ToolsCall, mcp.ResourcesRead, mcp.PromptsGet},
	Check: func(c *diagnose.Case) {
		if c.Call == nil || c.Call.Dir != wire.ToServer || len(c.Call.Meta) < 3 {
			return
		}
		why := words.Fold(failure(c))
		// of 2026-07-28: what the client can do does not suffice
		if why == "" || !lacks(why) || errorCode(c) == mcp.CodeMissingCapability {
			return
		}
		wire.Each(c.Call.Meta, func(key, _ []byte) bool {
			name := string(key)
			if name == mcp.MetaProgressToken || len(name) < 4 || !mentions(why, name) {
				return true
			}
			c.Say(name, c.Client()+" sent "+quote(name)+" in _meta of "+c.Call.Method+" ("+frame(c.Call.N)+"), and the response ("+frame(c.N)+") says that it is missing: "+
				quote(failure(c))+".",
				c.Call.N, c.N)
			return false
		})
	},
}

// lacks says whether a text, in lower case, complains of something missing.
func lacks(text string) bool {
	return words.Holds(text, "missing", "required", "not provided", "no ", "without", "lacks", "absent", "must be", "not set")
}

// mentions says whether a text, in lower case, names a member, spelled with or
// without what parts its words.
func mentions(text, name string) bool {
	if i := strings.LastIndexByte(name, '/'); i >= 0 && !words.Contains(text, name) {
		name = name[i+1:]
	}
	plain := strings.NewReplacer("_", "", "-", "", " ", "", ".", "")
	name = words.Fold(plain.Replace(name))
	return len(name) >= 4 && strings.Contains(plain.Replace(text), name)
}

var handleMissing = &diagnose.Rule{
	ID: "handle-missing", On: diagnose.FailedCalls, Methods: []string{mcp.ToolsCall},
	Check: func(c *diagnose.Case) {
		h := diagnose.Shared[handles](c)
		if c.Call == nil || c.Call.Dir != wire.ToServer || len(h.order) == 0 {
			return
		}
		why := words.Fold(failure(c))
		if why == "" || !lacks(why) {
			return
		}
		args := c.Call.Args
		for i := len(h.order) - 1; i >= 0 && i >= len(h.order)-64; i-- {
			one := h.byValue[h.order[i]]
			if one.session != c.Session.Index || one.key == "" || !mentionsHandle(why, one.key) || names(args, one.key) {
				continue
			}
			c.Say(one.key, "The call "+quote(c.Call.Target)+" ("+frame(c.Call.N)+") was refused: "+quote(failure(c))+". "+
				quote(one.tool)+" issued one earlier: "+one.key+" "+quote(one.value)+" ("+frame(one.n)+").",
				c.Call.N, c.N, one.n)
			return
		}
	},
}

// mentionsHandle says whether a text, in lower case, names a handle: "session"
// stands for "session_id" too.
func mentionsHandle(text, key string) bool {
	key = words.Fold(key)
	key = strings.TrimRight(strings.TrimSuffix(key, "id"), "_- ")
	return len(key) >= 4 && strings.Contains(text, key)
}

// names says whether arguments have a member that is spelled like a handle's.
func names(args []byte, handle string) bool {
	found := false
	wire.Each(args, func(key, value []byte) bool {
		found = mentionsHandle(words.Fold(string(key)), handle) && len(value) > 2
		return !found
	})
	return found
}

var handleRefused = &diagnose.Rule{
	ID: "handle-refused", On: diagnose.Results | diagnose.Errors, Methods: []string{mcp.ToolsCall},
	Check: func(c *diagnose.Case) {
		h := learnHandles(c)
		text := ""
		if c.Call != nil && c.Call.Dir == wire.ToServer {
			text = failure(c)
		}
		if r := (diagnose.Refusal{Text: text}); text == "" || !r.Says("unknown", "not found", "expired", "no such", "invalid", "does not exist", "no longer") {
			return
		}
		h.used(c, func(key string, one *handle) {
			f := diagnose.Finding{
				Message: "The call " + quote(c.Call.Target) + " (" + frame(c.Call.N) + ") used " + key + " " + quote(one.value) + ", which " +
					quote(one.tool) + " issued (" + frame(one.n) + "), and was refused: " + quote(text) + ".",
				Frames: []uint64{c.Call.N, c.N, one.n},
			}
			switch {
			case one.used > one.n:
				f.Cause = "It worked before (" + frame(one.used) + "): it has expired, or the server lost it."
			case one.session != c.Session.Index:
				f.Cause = "It was issued in another session: the server keeps handles per transport session, and the client opened a new one."
			}
			c.ReportAs(one.value, f)
		})
	},
}

var definitionsLarge = &diagnose.Rule{
	ID: "definitions-large", On: diagnose.Results, Methods: []string{mcp.ToolsList},
	Check: func(c *diagnose.Case) {
		const most = 40_000 // bytes: about ten thousand tokens
		list := listItems(c)
		if len(list) <= most || c.Dir != wire.ToClient {
			return
		}
		tools := 0
		wire.Items(list, func(int, []byte) bool { tools++; return true })
		c.Found("", "", fill{
			"tools": words.CountOf(tools, "tool", "tools"), "size": evidence.Bytes(len(list)), "tokens": words.Tokens(list),
		}, c.N)
	},
}
