package rules

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// skillsConformance are those of the extension io.modelcontextprotocol/skills (SEP-2640).
var skillsConformance = []formal{
	{
		id: "skill-manifest-invalid", on: diagnose.Results, methods: []string{mcp.SkillsList, mcp.SkillsGet},
		check: func(c *diagnose.Case) { ofSkills(c, manifestFlaw) },
	},
	{
		id: "skill-name-differs", on: diagnose.Results, methods: []string{mcp.SkillsList, mcp.SkillsGet},
		check: func(c *diagnose.Case) { ofSkills(c, nameFlaw) },
	},
	{
		id: "skill-content-differs", on: diagnose.Requests | diagnose.Results | diagnose.Finish,
		check: checkSkillContent,
	},
	{
		id: "skill-frontmatter-differs", on: diagnose.Results, methods: []string{mcp.ResourcesRead},
		check: checkFrontmatter,
	},
	{
		id: "skill-file-unlisted", on: diagnose.Results | diagnose.Errors, methods: []string{mcp.ResourcesRead},
		check: checkUnlisted,
	},
}

// flaw is what is wrong with an entry.
type flaw struct {
	key, says, place string
	severity         diagnose.Severity // the rule's, unless set
}

func ofSkills(c *diagnose.Case, wrong func(uri string, skill []byte) flaw) {
	if c.Call == nil || c.Session == nil || c.Call.Dir != wire.ToServer {
		return
	}
	eachSkill(c, func(place string, skill []byte) {
		uri := text(wire.Get(skill, "uri"))
		f := wrong(uri, skill)
		if f.says == "" {
			return
		}
		c.ReportAs(uri+f.key, diagnose.Finding{
			Message:  "The skill " + quote(uri) + " (" + frame(c.N) + ") " + f.says + ".",
			Severity: f.severity, Frames: []uint64{c.N, c.Call.N}, Place: place + f.place, Items: []string{uri},
		})
	})
}

// What every host takes of one skill (SEP-2640: Limits).
const (
	maxHostFiles = 512
	maxHostBytes = 16 << 20
)

// manifestFlaw is what is wrong with the files of an entry.
func manifestFlaw(uri string, skill []byte) flaw {
	list := wire.Get(skill, "resources")
	switch {
	case !strings.HasSuffix(uri, skillFileName):
		return flaw{"uri", "is not named by the URI of its SKILL.md", "/uri", 0}
	case list == nil:
		return flaw{"none", "has no resources: neither a list of its files nor “dynamic”", "/resources", 0}
	case text(list) == skillDynamic:
		return flaw{}
	case !wire.IsArray(list):
		return flaw{"kind", "has " + quoteJSON(list) + " for resources, which is neither a list of its files nor “dynamic”", "/resources", 0}
	}
	return filesFlaw(uri, list)
}

func filesFlaw(uri string, list []byte) (found flaw) {
	e := skillEntry{root: strings.TrimSuffix(uri, skillFileName)}
	seen, total := map[string]bool{}, int64(0)
	wire.Items(list, func(i int, file []byte) bool {
		name, digest := text(wire.Get(file, "uri")), wire.Get(file, "digest")
		size, whole := wire.Int(wire.Get(file, "size"))
		at := "/resources/" + number(i)
		switch {
		case name == "":
			found = flaw{"file", "lists a file without a uri", at, 0}
		case !e.within(name):
			found = flaw{"outside", "lists " + quote(name) + ", which is not in its directory", at + "/uri", 0}
		case seen[name]:
			found = flaw{"twice", "lists " + quote(name) + " twice", at + "/uri", 0}
		case !isDigest(text(digest)):
			found = flaw{"digest", "has no digest for " + quote(name) + " of the form sha256: and 64 lower-case hexadecimal digits", at + "/digest", 0}
		case !whole || size < 0:
			found = flaw{"size", "has no size for " + quote(name), at + "/size", 0}
		}
		seen[name] = true
		total += size
		return found.says == ""
	})
	switch {
	case found.says != "":
	case !seen[uri]:
		return flaw{"itself", "does not list its own SKILL.md: the list of its files is not complete", "/resources", 0}
	case len(seen) > maxHostFiles:
		return flaw{"many", "has " + number(len(seen)) + " files; hosts need not take more than " + number(maxHostFiles), "/resources", diagnose.Warning}
	case total > maxHostBytes:
		return flaw{"large", "has " + words.Size(int(total)) + "; hosts need not take more than 16 MiB", "/resources", diagnose.Warning}
	}
	return found
}

func nameFlaw(uri string, skill []byte) flaw {
	front := wire.Get(skill, "frontmatter")
	name := text(wire.Get(front, "name"))
	root := strings.TrimSuffix(uri, skillFileName)
	segment := root[strings.LastIndexByte(root, '/')+1:]
	switch {
	case name == "":
		return flaw{"name", "has no name in its frontmatter", "/frontmatter", 0}
	case text(wire.Get(front, "description")) == "":
		return flaw{"description", "has no description in its frontmatter", "/frontmatter", 0}
	case root != uri && segment != name:
		return flaw{"differs", "lies in the directory " + quote(segment) + ", and its name is " + quote(name), "/frontmatter/name", 0}
	}
	return flaw{}
}

// mismatch is a file that was read and is not that of the manifest. The manifest may be
// old: then the client asks for it again.
type mismatch struct {
	uri, entry string
	digest     string
	t          int64
	says       string
	cause      string
	frames     []uint64
}

const maxMismatches = 256

// checkSkillContent compares what is read with the manifest. It reports a difference when
// the client goes on, when a new manifest says the same, or in the end.
func checkSkillContent(c *diagnose.Case) {
	if c.Session == nil {
		return
	}
	open := diagnose.State[[]mismatch](c)
	switch {
	case c.N == 0: // the end
		report(c, open, func(*mismatch) bool { return true })
	case c.Message.Kind == wire.MsgRequest:
		asks := c.Call.Method == mcp.SkillsList || c.Call.Method == mcp.SkillsGet
		report(c, open, func(m *mismatch) bool { return !asks && c.Call.Dir == wire.ToServer && c.T-m.t > 1e9 })
	case c.Call == nil || c.Call.Dir != wire.ToServer:
	case c.Call.Method == mcp.ResourcesRead:
		compareContent(c, open)
	case c.Call.Method == mcp.SkillsList || c.Call.Method == mcp.SkillsGet:
		renewed(c, open)
	}
}

// report reports those that are settled, and keeps the rest.
func report(c *diagnose.Case, open *[]mismatch, settled func(*mismatch) bool) {
	kept := (*open)[:0]
	for _, m := range *open {
		if !settled(&m) {
			kept = append(kept, m)
			continue
		}
		c.ReportAs(m.uri, diagnose.Finding{Message: m.says, Cause: m.cause, Frames: m.frames, Items: []string{m.entry}})
	}
	*open = kept
}

// compareContent compares the file that was read with all manifests that list it.
func compareContent(c *diagnose.Case, open *[]mismatch) {
	files := skillsOf(c).files[c.Call.Target]
	if len(files) == 0 || len(*open) >= maxMismatches {
		return
	}
	content, ok := readContent(c, c.Call.Target)
	if !ok {
		return
	}
	digest := digestOf(content)
	for _, f := range files {
		if !isDigest(f.digest) || f.digest == digest && f.size == int64(len(content)) {
			continue
		}
		m := mismatch{uri: f.uri, entry: f.of.uri, digest: digest, t: c.T, frames: []uint64{c.N, c.Call.N, f.of.n}}
		m.says = "The file " + quote(f.uri) + " (" + frame(c.N) + ") is not that of the manifest (" + frame(f.of.n) + "): it has "
		if f.digest == digest {
			m.says += number(len(content)) + " bytes, and the manifest says " + number(f.size) + ", with the right digest."
		} else {
			m.says += number(len(content)) + " bytes and the digest " + short(digest) + ", and the manifest says " + number(f.size) + " and " + short(f.digest) + "."
			if v := f.variant(content); v != "" {
				m.says += " With " + v + " it would be."
				m.cause = "The digest is made of the file as it stands on disk, and the text is changed when it is read or sent: line ends, the last of them, or a byte order mark."
			}
		}
		m.says += " A host must not use it."
		*open = append(*open, m)
		return
	}
}

// short is the beginning of a digest, enough to tell two apart.
func short(digest string) string { return words.Ellipsis(digest, len("sha256:")+12) }

// renewed looks at the differences whose manifest the result in hand has again.
func renewed(c *diagnose.Case, open *[]mismatch) {
	b := skillsOf(c)
	same := func(m *mismatch) (again, right bool) {
		e := b.entries[m.entry]
		if e == nil || e.n != c.N {
			return false, false
		}
		for _, f := range e.files {
			right = right || f.uri == m.uri && f.digest == m.digest
		}
		return true, right
	}
	kept := (*open)[:0]
	for _, m := range *open {
		if again, right := same(&m); !again || !right {
			kept = append(kept, m)
		}
	}
	*open = kept
	report(c, open, func(m *mismatch) bool { again, _ := same(m); return again })
}

// checkFrontmatter compares the frontmatter of a SKILL.md with that of its entry, where
// the content is the one that the entry is of.
func checkFrontmatter(c *diagnose.Case) {
	if c.Call == nil || c.Session == nil || c.Call.Dir != wire.ToServer {
		return
	}
	b := skillsOf(c)
	e := b.entries[c.Call.Target]
	if e == nil {
		return
	}
	e.read = c.N
	content, ok := readContent(c, e.uri)
	if !ok || e.front == nil {
		return
	}
	for _, f := range e.files {
		if f.uri == e.uri && f.digest != digestOf(content) {
			return // another file
		}
	}
	f := diagnose.Finding{Frames: []uint64{c.N, c.Call.N, e.n}, Items: []string{e.uri}}
	front, some := frontmatter(content)
	if !some {
		f.Message = "The file " + quote(e.uri) + " (" + frame(c.N) + ") does not begin with frontmatter between two lines ---, and its entry (" + frame(e.n) + ") has some."
		c.ReportAs(e.uri, f)
		return
	}
	if member, how := yamlDiffers(e.front, front); how != "" {
		f.Message = "The frontmatter of " + quote(e.uri) + " (" + frame(c.N) + ") is not that of its entry (" + frame(e.n) + "): " + quote(member) + " " + how + "."
		c.ReportAs(e.uri, f)
	}
}

// checkUnlisted looks at reads of files in the directory of a skill that its manifest
// does not have, after the skill was read.
func checkUnlisted(c *diagnose.Case) {
	if c.Call == nil || c.Session == nil || c.Call.Dir != wire.ToServer {
		return
	}
	b, uri := skillsOf(c), c.Call.Target
	e := b.around(uri)
	if e == nil || !e.array || e.read == 0 || b.full {
		return
	}
	if b.entries[uri] != nil || len(b.files[uri]) > 0 || !e.within(uri) {
		return
	}
	f := diagnose.Finding{Frames: []uint64{c.N, c.Call.N, e.n}, Items: []string{e.uri}}
	f.Message = c.Client() + " read " + quote(uri) + " (" + frame(c.Call.N) + ") in the directory of a skill whose manifest (" + frame(e.n) + ") does not list it. "
	if c.Message.Kind == wire.MsgResult {
		f.Side = diagnose.Server
		f.Message += c.Server() + " has the file (" + frame(c.N) + "): the manifest is not complete, or is older than the file."
	} else {
		f.Side = diagnose.Client
		f.Message += c.Server() + " refused it (" + frame(c.N) + ")."
	}
	c.ReportAs(uri, f)
}
