package rules

import (
	"slices"
	"strings"

	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/mcp"
	"midwire/session/operation"
	"midwire/session/wire"
	"midwire/session/words"
)

// kind is one of the things that servers list and that clients ask for by name.
type kind struct {
	word          string // of a sentence: "tool"
	list, use     string // methods
	changed       string // the notification that the list has changed
	member, named string // of the result of list: where they are, and what names each
	unknown       sdkwords.Meaning
}

var kinds = []kind{
	{"tool", mcp.ToolsList, mcp.ToolsCall, mcp.NotifyToolsListChanged, "tools", "name", sdkwords.ToolUnknown},
	{"prompt", mcp.PromptsList, mcp.PromptsGet, mcp.NotifyPromptsListChanged, "prompts", "name", sdkwords.PromptUnknown},
	{"resource", mcp.ResourcesList, mcp.ResourcesRead, mcp.NotifyResourcesListChanged, "resources", "uri", sdkwords.ResourceUnknown},
	{"template", mcp.ResourceTemplatesList, "", "", "resourceTemplates", "uriTemplate", sdkwords.ResourceUnknown},
}

// kindOf is the kind that a method lists or uses, or whose list it says has changed; nil for
// none.
func kindOf(method string) *kind {
	about := func(k kind) bool { return k.list == method || k.use == method || k.changed == method }
	i := slices.IndexFunc(kinds, about)
	if i < 0 {
		return nil
	}
	return &kinds[i]
}

// listed is what a session was told that there is of a kind.
type listed struct {
	names    map[string]uint64   // frames of the pages, the latest of each name
	required map[string][]string // of prompts: their arguments that are required
	full     bool                // some were not kept
	page     uint64              // frame of the latest page
	next     string              // its nextCursor, raw JSON; "" for none
	changed  uint64              // frame of a later list_changed, 0 for none
	cached   string              // the mark of a cache that the latest page came out of, "" for none
}

// sessionLists are those of a session.
type sessionLists map[*kind]*listed

const maxListed = 4096

// listOf is the list of a kind in the session in hand, nil when there was none.
func listOf(c *diagnose.Case, k *kind) *listed { return (*diagnose.Common[sessionLists](c))[k] }

// learnList keeps the names of the page of a list in hand.
func learnList(c *diagnose.Case, k *kind) {
	lists := made((*map[*kind]*listed)(diagnose.Common[sessionLists](c)))
	l := lists[k]
	if l == nil {
		l = &listed{names: map[string]uint64{}}
		lists[k] = l
	}
	cursor := wire.Get(c.Call.Params, "cursor")
	if len(cursor) == 0 || string(cursor) == "null" { // it begins again
		l.names, l.full = map[string]uint64{}, false
	}
	wire.Items(c.Result(k.member), func(_ int, item []byte) bool {
		l.full = len(l.names) >= maxListed
		if !l.full {
			name := text(wire.Get(item, k.named))
			l.names[name] = c.N
			if k.list == mcp.PromptsList {
				made(&l.required)[name] = requiredArguments(item)
			}
		}
		return !l.full
	})
	if l.page, l.changed, l.next, l.cached = c.N, 0, "", ""; c.Exchange != nil {
		l.cached = operation.Cached(c.Exchange.ResponseHeader)
	}
	if next := c.Result("nextCursor"); len(next) > 2 && next[0] == '"' {
		l.next = string(next)
	}
}

func requiredArguments(prompt []byte) (names []string) {
	wire.Items(wire.Get(prompt, "arguments"), func(_ int, arg []byte) bool {
		if string(wire.Get(arg, "required")) == "true" {
			names = append(names, text(wire.Get(arg, "name")))
		}
		return len(names) < 64
	})
	return names
}

// errs says whether the error in hand says that there is no such thing, in the words of
// the known SDKs: some do not name it, some name it in the data.
func (k *kind) errs(c *diagnose.Case) bool {
	if c.Message.Kind != wire.MsgError || byTransport(c) {
		return false
	}
	why, data := errorText(c), string(wire.Get(c.Message.Error, "data"))
	return slices.ContainsFunc(sdkwords.Find(errorCode(c), why, data).Phrases, func(p *sdkwords.Phrase) bool {
		return !p.General && slices.Contains(p.Means, k.unknown) &&
			(!strings.ContainsAny(p.Text, "…*") || strings.Contains(why+data, c.Call.Target))
	})
}

// parts are the words of a name, in lower case, without what stands between them: _, __,
// -, ., / and :.
func parts(name string) []string {
	return strings.FieldsFunc(words.Fold(name), func(r rune) bool { return strings.ContainsRune("_-./: ", r) })
}

// misspelled returns the listed name that a called one may have meant, and how the two
// differ; "" for none.
func (l *listed) misspelled(called string) (name, how string) {
	words := parts(called)
	if len(words) == 0 {
		return "", ""
	}
	plain := strings.Join(words, "")
	for _, candidate := range sortedKeys(l.names) {
		other := parts(candidate)
		switch n, m := len(words), len(other); {
		case candidate == called || m == 0:
		case strings.Join(other, "") == plain:
			return candidate, "is spelled otherwise"
		case m < n && slices.Equal(words[n-m:], other) && how == "":
			name, how = candidate, "has no such prefix as "+quote(strings.TrimSuffix(called, called[len(called)-len(candidate):]))
		case m > n && slices.Equal(other[m-n:], words) && how == "":
			name, how = candidate, "has the prefix "+quote(candidate[:len(candidate)-len(called)])+" that the call lacks"
		}
	}
	return name, how
}

// stoppedBySlash adds to a finding the listed template that the URI asked for fits only where a
// variable may have a slash in it, if there is one: RFC 6570 (3.2.2) lets a simple one have none.
func stoppedBySlash(c *diagnose.Case, f *diagnose.Finding) bool {
	l, uri := listOf(c, &kinds[len(kinds)-1]), c.Call.Target
	if l == nil {
		return false
	}
	for _, name := range sortedKeys(l.names) {
		literals := simpleVariable().Split(name, -1)
		text := strings.Join(literals, "")
		if fits(uri, literals) && !strings.Contains(text, "{") && strings.Count(uri, "/") > strings.Count(text, "/") {
			f.Message += " It fits the template " + quote(name) + " (" + frame(l.names[name]) + ") where a variable may have a slash in it, which " + quote("{name}") + " may not."
			f.Frames[2] = l.names[name]
			return true
		}
	}
	return false
}

// fits says whether a URI is the literals of a template with something between them. A server
// lists what it likes: the work is linear.
func fits(uri string, literals []string) bool {
	last := len(literals) - 1
	rest, begins := strings.CutPrefix(uri, literals[0])
	rest, ok := strings.CutSuffix(rest, literals[last])
	for i := 1; ok && i < last; i++ {
		_, rest, ok = strings.Cut(rest[min(1, len(rest)):], literals[i])
	}
	return last > 0 && begins && ok && rest != ""
}

var simpleVariable = words.Pattern(`\{\w+\}`)
