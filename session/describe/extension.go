package describe

import (
	"strings"

	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// extensionTarget says what a request of an extension is about; ok is false for one that
// is of none, and for one that names nothing.
func extensionTarget(method string, params []byte) (name, more string, ok bool) {
	_, m := mcp.ExtensionOf(method)
	if m == nil {
		return "", "", false
	}
	text := func(path ...string) string { return words.Line(wire.Text(wire.Get(params, path...)), 150) }
	if m.Target != "" {
		name = text(m.Target)
	}
	if text("cursor") != "" {
		more = "next page"
	}
	return name, more, true
}

// extensionResult says what came of a request of an extension, "" for one that is of none.
func extensionResult(method string, result []byte) string {
	_, m := mcp.ExtensionOf(method)
	if m == nil {
		return ""
	}
	text := func(path ...string) string { return words.Line(wire.Text(wire.Get(result, path...)), 150) }
	switch method {
	case mcp.SkillsList:
		return words.Join(listWords(result, m.Member, m.Word), namesOf(wire.Get(result, m.Member), "frontmatter", "name"))
	case mcp.SkillsGet:
		return manifestWords(wire.Get(result, "skill"))
	case mcp.TasksGet, mcp.TasksCancel:
		return words.Join(text("status")+text("task", "status"), text("statusMessage"))
	}
	if m.Member != "" {
		return listWords(result, m.Member, m.Word)
	}
	return ""
}

// namesOf are the names of the items of a list, which are at a path in each.
func namesOf(list []byte, path ...string) string {
	var all []string
	wire.Items(list, func(_ int, item []byte) bool {
		if name := words.Line(wire.Text(wire.Get(item, path...)), 40); name != "" {
			all = append(all, name)
		}
		return len(all) < 8
	})
	return strings.Join(all, ", ")
}

// manifestWords says what a skill is made of.
func manifestWords(skill []byte) string {
	name := words.Line(wire.Text(wire.Get(skill, "frontmatter", "name")), 60)
	files := wire.Get(skill, "resources")
	switch {
	case wire.Text(files) == "dynamic":
		return words.Join(name, "dynamic: without digests")
	case !wire.IsArray(files):
		return words.Join(name, "without a manifest")
	}
	total := int64(0)
	wire.Items(files, func(_ int, file []byte) bool {
		n, _ := wire.Int(wire.Get(file, "size"))
		total += max(n, 0)
		return total < 1<<40
	})
	return words.Join(name, words.Count(count(files), "file")+", "+words.Size(int(total)))
}
