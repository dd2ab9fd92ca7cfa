package rules

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"path"
	"strings"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// skillBook is what a server says of its skills, the latest of each.
type skillBook struct {
	learned uint64                  // frame of the result that was read last
	entries map[string]*skillEntry  // by the URI of their SKILL.md
	files   map[string][]*skillFile // by URI: a file of a nested skill is in two manifests
	full    bool                    // some were not kept
}

type skillEntry struct {
	uri, root string
	n         uint64
	array     bool   // it has a manifest
	front     []byte // frontmatter, raw JSON; nil when it is too long to be kept
	read      uint64 // frame of the latest result with its SKILL.md, 0 for none
	files     []*skillFile
}

type skillFile struct {
	of     *skillEntry
	uri    string
	digest string
	size   int64
}

const (
	maxSkillFiles = 1 << 15
	maxFront      = 64 << 10
	skillFileName = "/SKILL.md"
	skillDynamic  = "dynamic"
)

// skillsOf are the skills of the session in hand. What the result in hand says of
// skills is in it.
func skillsOf(c *diagnose.Case) *skillBook {
	b := diagnose.Common[skillBook](c)
	if b.learned != c.N && c.Call != nil && c.Message.Kind == wire.MsgResult {
		eachSkill(c, func(_ string, skill []byte) { b.learn(c.N, skill) })
		b.learned = c.N
	}
	return b
}

// eachSkill calls yield with the entries of the result in hand, and their places.
func eachSkill(c *diagnose.Case, yield func(place string, skill []byte)) {
	switch c.Call.Method {
	case mcp.SkillsGet:
		if skill := c.Result("skill"); skill != nil {
			yield("/result/skill", skill)
		}
	case mcp.SkillsList:
		wire.Items(c.Result("skills"), func(i int, skill []byte) bool {
			yield("/result/skills/"+number(i), skill)
			return true
		})
	}
}

// learn takes an entry in the place of the one before.
func (b *skillBook) learn(n uint64, skill []byte) {
	uri := text(wire.Get(skill, "uri"))
	if uri == "" {
		return
	}
	old := b.entries[uri]
	if b.forget(old); len(b.entries) >= maxListed || len(b.files) >= maxSkillFiles {
		b.full = true
		return
	}
	e := &skillEntry{uri: uri, root: strings.TrimSuffix(uri, skillFileName), n: n}
	if old != nil {
		e.read = old.read
	}
	if front := wire.Get(skill, "frontmatter"); len(front) <= maxFront {
		e.front = append([]byte(nil), front...)
	}
	list := wire.Get(skill, "resources")
	e.array = wire.IsArray(list)
	made(&b.entries)[uri] = e
	wire.Items(list, func(_ int, raw []byte) bool {
		size, _ := wire.Int(wire.Get(raw, "size"))
		f := &skillFile{of: e, uri: text(wire.Get(raw, "uri")), digest: text(wire.Get(raw, "digest")), size: size}
		e.files = append(e.files, f)
		made(&b.files)[f.uri] = append(b.files[f.uri], f)
		b.full = b.full || len(b.files) >= maxSkillFiles
		return !b.full
	})
}

// forget takes an entry out, nil for none.
func (b *skillBook) forget(e *skillEntry) {
	if e == nil {
		return
	}
	for _, f := range e.files {
		kept := b.files[f.uri][:0]
		for _, other := range b.files[f.uri] {
			if other.of != e {
				kept = append(kept, other)
			}
		}
		if b.files[f.uri] = kept; len(kept) == 0 {
			delete(b.files, f.uri)
		}
	}
	delete(b.entries, e.uri)
}

// around is the innermost skill whose directory a URI lies in, nil for none.
func (b *skillBook) around(uri string) *skillEntry {
	for at := uri; ; {
		i := strings.LastIndexByte(at, '/')
		if i < 0 {
			return nil
		}
		at = at[:i]
		if e := b.entries[at+skillFileName]; e != nil {
			return e
		}
	}
}

func (e *skillEntry) within(uri string) bool {
	rest, ok := strings.CutPrefix(uri, e.root+"/")
	return ok && rest != "" && path.Clean(rest) == rest && !strings.HasPrefix(rest, "../")
}

// readContent is what resources/read in hand returned of a resource, its raw bytes. It is
// false where they are not known for certain: masked, cut, not UTF-8, not base64.
func readContent(c *diagnose.Case, uri string) (content []byte, ok bool) {
	if c.Frame == nil || c.Frame.Masked || c.Frame.Part != wire.Whole || c.Frame.N != c.N {
		return nil, false
	}
	found := false
	wire.Items(c.Result("contents"), func(_ int, item []byte) bool {
		if found = text(wire.Get(item, "uri")) == uri; !found {
			return true
		}
		content, ok = contentBytes(item)
		return false
	})
	return content, found && ok
}

func contentBytes(item []byte) ([]byte, bool) {
	written, blob := wire.Get(item, "text"), wire.Get(item, "blob")
	switch {
	case len(written) > 0 && written[0] == '"' && blob == nil:
		s := text(written)
		return []byte(s), !strings.ContainsRune(s, '\ufffd') // it may stand for what is no UTF-8
	case len(blob) > 0 && blob[0] == '"' && written == nil:
		raw, err := base64.StdEncoding.DecodeString(text(blob))
		if err != nil {
			raw, err = base64.RawStdEncoding.DecodeString(text(blob))
		}
		return raw, err == nil
	}
	return nil, false
}

func digestOf(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func isDigest(s string) bool {
	in, ok := strings.CutPrefix(s, "sha256:")
	return ok && len(in) == 2*sha256.Size && strings.Trim(in, "0123456789abcdef") == ""
}

// variants are how a file is changed on its way without anybody meaning to.
var variants = []struct {
	says   string
	change func(string) string
}{
	{"CRLF line ends", func(s string) string { return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\r\n") }},
	{"LF line ends", func(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }},
	{"a line end at its end", func(s string) string { return s + "\n" }},
	{"no line end at its end", func(s string) string { return strings.TrimRight(s, "\r\n") }},
	{"a byte order mark", func(s string) string { return "\ufeff" + s }},
	{"no byte order mark", func(s string) string { return strings.TrimPrefix(s, "\ufeff") }},
}

const maxVariant = 1 << 20

// variant says what a file would need to be that of the manifest, "" when that is not known.
func (f *skillFile) variant(content []byte) string {
	if len(content) > maxVariant {
		return ""
	}
	for _, v := range variants {
		if digestOf([]byte(v.change(string(content)))) == f.digest {
			return v.says
		}
	}
	return ""
}
