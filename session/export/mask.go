package export

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// Names puts short placeholders, session-1 and so on, instead of session ids:
// the same one for the same id, wherever it occurs. A session id is as good as
// a password to some servers, and exports are made to be given away. The zero
// value changes nothing.
type Names struct {
	given map[string]string // an id and what stands for it
	heads []string          // ids seen in heads, in order
	text  *strings.Replacer
}

// plainLength is how long an id is at least that is recognised in any text.
// What is shorter occurs by chance, and is masked where only an id can stand.
const plainLength = 8

// Watch collects the ids that stand in the heads of a recording.
func (n *Names) Watch(f *wire.Frame) {
	if f.Kind != wire.KindRequest && f.Kind != wire.KindResponse {
		return
	}
	if id := wire.HeadValue(f.Data, mcp.HeaderSessionID); n.add(id, "") {
		n.heads = append(n.heads, id)
	}
}

// Finish is called once when every frame was watched. Sessions give their ids
// the numbers they are shown by.
func (n *Names) Finish(sessions []*session.Session) {
	n.given = map[string]string{}
	for _, s := range sessions {
		for _, id := range secretParts(s.ID) {
			n.add(id, fmt.Sprintf("session-%d", s.Index+1))
		}
	}
	others := 0
	for _, id := range n.heads {
		if n.add(id, fmt.Sprintf("unknown-session-%d", others+1)) {
			others++
		}
	}
	n.text = n.replacer()
}

// add returns false when the id has a name already.
func (n *Names) add(id, name string) bool {
	if _, known := n.given[id]; known || id == "" {
		return false
	}
	if n.given == nil {
		n.given = map[string]string{}
	}
	n.given[id] = name
	return true
}

// secretParts are the parts of a session's id that only its owner should know. The
// id of HTTP+SSE is a whole request target.
func secretParts(id string) []string {
	path, query, isTarget := strings.Cut(id, "?")
	if !strings.HasPrefix(id, "/") {
		return []string{id}
	}
	var parts []string
	for pair := range strings.SplitSeq(query, "&") {
		if _, value, ok := strings.Cut(pair, "="); ok {
			parts = append(parts, value)
		}
	}
	if !isTarget {
		parts = append(parts, path[strings.LastIndexByte(path, '/')+1:])
	}
	return parts
}

// replacer finds ids in every spelling they may have.
func (n *Names) replacer() *strings.Replacer {
	spelled := map[string]string{}
	for id, name := range n.given {
		text, _ := json.Marshal(id)
		quoted := string(text[1 : len(text)-1])
		forms := []string{id, quoted, strings.ReplaceAll(id, "/", `\/`), url.QueryEscape(id), url.PathEscape(id)}
		for _, form := range forms {
			if len(id) >= plainLength {
				spelled[form] = name
				continue
			}
			for _, key := range []string{"sessionId=", "session_id=", "sessionid=", "sid="} {
				spelled[key+form] = key + name
			}
			spelled["“"+form+"”"] = "“" + name + "”" // as findings quote it
			if len(id) >= plainLength/2 {
				spelled[`"`+form+`"`] = `"` + name + `"`
			}
		}
	}
	// Of two that begin alike the longer one is meant.
	keys := slices.SortedFunc(maps.Keys(spelled), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b))
	})
	var pairs []string
	for _, k := range keys {
		pairs = append(pairs, k, spelled[k])
	}
	return strings.NewReplacer(pairs...)
}

// Text replaces the ids in a text.
func (n *Names) Text(s string) string {
	if n.text == nil {
		return s
	}
	if name, ok := n.given[s]; ok {
		return name
	}
	return n.text.Replace(s)
}

// Frame replaces the ids in a frame. The frame's old payload stays as it was.
func (n *Names) Frame(f *wire.Frame) {
	if n.text == nil {
		return
	}
	data := f.Data
	if f.Kind == wire.KindRequest || f.Kind == wire.KindResponse {
		data = n.head(data)
	}
	if now := n.text.Replace(string(data)); now != string(f.Data) {
		f.Data, f.Masked = []byte(now), true
	}
}

// head replaces the value of the session header, however short it is.
func (n *Names) head(raw []byte) []byte {
	name, ok := n.given[wire.HeadValue(raw, mcp.HeaderSessionID)]
	if !ok {
		return raw
	}
	var out []byte
	for line := range bytes.Lines(raw) {
		key, rest, found := bytes.Cut(line, []byte(":"))
		if found && strings.EqualFold(string(key), mcp.HeaderSessionID) {
			end := rest[len(bytes.TrimRight(rest, "\r\n")):]
			line = fmt.Appendf(nil, "%s: %s%s", key, name, end)
		}
		out = append(out, line...)
	}
	return out
}
