package rules

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"path"
	"strconv"
	"strings"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"

	"go.yaml.in/yaml/v3"
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

// frontmatter is the YAML that a file begins with, between two lines ---; false where
// there is none.
func frontmatter(content []byte) ([]byte, bool) {
	content = bytes.TrimPrefix(content, byteOrderMark)
	first, rest, _ := bytes.Cut(content, []byte("\n"))
	if string(bytes.TrimRight(first, " \t\r")) != "---" {
		return nil, false
	}
	for at := 0; at < len(rest); {
		line, _, more := bytes.Cut(rest[at:], []byte("\n"))
		if string(bytes.TrimRight(line, " \t\r")) == "---" {
			return rest[:at], true
		}
		if at += len(line) + 1; !more || at > maxFront {
			break
		}
	}
	return nil, false
}

// maxNesting is how deep values are compared.
const maxNesting = 24

// yamlDiffers says in which member an object of JSON is not the same as YAML, and how;
// nothing where they are the same, and where readers of YAML may differ.
func yamlDiffers(object, text []byte) (member, how string) {
	var doc yaml.Node
	if len(text) > maxFront || yaml.Unmarshal(text, &doc) != nil || len(doc.Content) != 1 {
		return "", ""
	}
	return mapDiffers("", doc.Content[0], object, 0)
}

func mapDiffers(at string, node *yaml.Node, object []byte, depth int) (member, how string) {
	inFile := map[string]*yaml.Node{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i]
		if key.Kind != yaml.ScalarNode || key.Value == "<<" || inFile[key.Value] != nil {
			return "", ""
		}
		inFile[key.Value] = node.Content[i+1]
	}
	wire.Each(object, func(key, value []byte) bool {
		name := wire.Text([]byte(`"` + string(key) + `"`))
		of := inFile[name]
		if delete(inFile, name); of == nil {
			member, how = at+name, "is not in the file"
			return false
		}
		member, how = valueDiffers(at+name, of, value, depth+1)
		return how == ""
	})
	if how != "" {
		return member, how
	}
	for _, name := range sortedKeys(inFile) {
		if inFile[name].Tag != "!!null" {
			return at + name, "is in the file and not in the entry"
		}
	}
	return "", ""
}

// valueDiffers compares a value. What it cannot tell is the same.
func valueDiffers(at string, node *yaml.Node, value []byte, depth int) (member, how string) {
	if depth > maxNesting || len(value) == 0 || node.Kind == yaml.AliasNode || node.Style&yaml.TaggedStyle != 0 {
		return "", ""
	}
	switch kind := value[0]; {
	case node.Kind == yaml.MappingNode && kind == '{':
		return mapDiffers(at+".", node, value, depth)
	case node.Kind == yaml.SequenceNode && kind == '[':
		return listDiffers(at, node, value, depth)
	case node.Kind != yaml.ScalarNode || kind == '{' || kind == '[':
		return at, "is of another kind in the file"
	}
	if sameScalar(node, value) {
		return "", ""
	}
	return at, "is " + quoteJSON(value) + " in the entry and " + quote(node.Value) + " in the file"
}

func listDiffers(at string, node *yaml.Node, value []byte, depth int) (member, how string) {
	n := 0
	wire.Items(value, func(i int, item []byte) bool {
		if n++; i < len(node.Content) {
			member, how = valueDiffers(at+"."+number(i), node.Content[i], item, depth+1)
		}
		return how == ""
	})
	if how == "" && n != len(node.Content) {
		return at, "has " + number(n) + " items in the entry and " + number(len(node.Content)) + " in the file"
	}
	return member, how
}

// sameScalar compares what is not made of other values. Readers differ in how they take
// what stands without quotes: a date, yes and no, a number.
func sameScalar(node *yaml.Node, value []byte) bool {
	said := wire.Plain(value)
	if strings.TrimSpace(said) == strings.TrimSpace(node.Value) {
		return true
	}
	if node.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return false
	}
	switch node.ShortTag() {
	case "!!str":
		return value[0] != '"' // yes and no, as YAML 1.1 has them
	case "!!int", "!!float":
		a, err := strconv.ParseFloat(said, 64)
		b, err2 := strconv.ParseFloat(node.Value, 64)
		return err == nil && err2 == nil && a == b || err2 != nil
	case "!!bool":
		return strings.EqualFold(said, node.Value)
	case "!!null":
		return said == "" || said == "null"
	}
	return true
}
