package rules

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// kind is one of the things that servers list and that clients ask for by name.
type kind struct {
	word          string // of a sentence: "tool"
	list, use     string // methods
	member, named string // of the result of list: where they are, and what names each
	unknown       sdkwords.Meaning
}

var kinds = []kind{
	{"tool", mcp.ToolsList, mcp.ToolsCall, "tools", "name", sdkwords.ToolUnknown},
	{"prompt", mcp.PromptsList, mcp.PromptsGet, "prompts", "name", sdkwords.PromptUnknown},
	{"resource", mcp.ResourcesList, mcp.ResourcesRead, "resources", "uri", sdkwords.ResourceUnknown},
}

// kindOf is the kind that a method lists or uses, nil for none.
func kindOf(method string) *kind {
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.list == method || k.use == method })
	if i < 0 {
		return nil
	}
	return &kinds[i]
}

// listed is what a session was told that there is of a kind.
type listed struct {
	names   map[string]uint64 // frames of the pages, the latest of each name
	full    bool              // some were not kept
	page    uint64            // frame of the latest page
	next    string            // its nextCursor, raw JSON; "" for none
	changed uint64            // frame of a later list_changed, 0 for none
}

// listsSeen are those of each session.
type listsSeen map[int]map[*kind]*listed

const maxListed = 4096

// listsOf are the lists in the session in hand.
func listsOf(c *diagnose.Case) map[*kind]*listed {
	if c.Session == nil {
		return nil
	}
	return (*diagnose.Shared[listsSeen](c))[c.Session.Index]
}

// listOf is the list of a kind in the session in hand, nil when there was none.
func listOf(c *diagnose.Case, k *kind) *listed { return listsOf(c)[k] }

// learnList keeps the names of the page of a list in hand.
func learnList(c *diagnose.Case, k *kind) {
	all := made((*map[int]map[*kind]*listed)(diagnose.Shared[listsSeen](c)))
	lists := all[c.Session.Index]
	if lists == nil {
		if len(all) >= maxListed {
			return
		}
		lists = map[*kind]*listed{}
		all[c.Session.Index] = lists
	}
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
			l.names[text(wire.Get(item, k.named))] = c.N
		}
		return !l.full
	})
	l.page, l.changed, l.next = c.N, 0, ""
	if next := c.Result("nextCursor"); len(next) > 2 && next[0] == '"' {
		l.next = string(next)
	}
}

// How servers say that there is no such thing, in words of their own. Few recordings
// need them.
var (
	unknownThing = pattern(`(?i)\b(unknown|no such|invalid|unrecognized|undefined|no) (tool|prompt|resource)\b`)
	thingUnknown = pattern(`(?i)\b(tool|prompt|resource)\b.{0,12}$`)
	isUnknown    = pattern(`(?i)^.{0,4}( is| was)? ?(not found|unknown|does not exist|doesn't exist|not registered|not available|not recognized|not exist)`)
)

func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
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

// complainsUnknown says whether a failure says that there is nothing of the name that
// the call in hand asks for.
func complainsUnknown(why, name string) bool {
	if unknownThing().MatchString(why) {
		return true
	}
	before, after, ok := strings.Cut(why, name)
	if !ok || name == "" {
		thing, only := strings.CutSuffix(strings.ToLower(strings.TrimRight(why, ". ")), " not found")
		return only && slices.ContainsFunc(kinds, func(k kind) bool { return k.word == thing })
	}
	return isUnknown().MatchString(after) && (thingUnknown().MatchString(before) || strings.TrimSpace(before) == "") ||
		strings.Contains(strings.ToLower(before), "not found")
}

// parts are the words of a name, in lower case, without what stands between them: _, __,
// -, ., / and :.
func parts(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune("_-./: ", r) })
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
