package library

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"midwire/session/safefile"
	"midwire/session/stack"
	"midwire/session/words"
)

// sourceFiles are the extensions of files that are shown. Anything else that a trace names is
// not opened: the writer of a trace chooses the path.
var sourceFiles = [...]string{
	".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".py", ".go", ".java", ".kt", ".cs", ".fs", ".rs", ".rb", ".php",
}

const (
	maxSource = 2 << 20
	maxMap    = 16 << 20
	around    = 2 // lines before and behind
)

// Look follows the source map of a file and reads the lines around a call. Only source files
// below one of the folders are read: those of the server that was started here. With none
// the place is what the trace says.
func Look(f stack.Frame, folders []string) stack.Place {
	p := stack.Place{Frame: f}
	text, ok := readSource(f.File, folders)
	if !ok {
		return p
	}
	if to, content, ok := mapped(f, text, folders); ok {
		was := f
		p.Frame, p.Compiled = to, &was
		if text = content; text == "" {
			if text, ok = readSource(to.File, folders); !ok {
				return p
			}
		}
	}
	lines := strings.Split(text, "\n")
	if p.Line < 1 || p.Line > len(lines) {
		return p
	}
	first, end := max(p.Line-1-around, 0), min(p.Line+around, len(lines))
	p.First = first + 1
	for _, line := range lines[first:end] {
		p.Lines = append(p.Lines, strings.TrimRight(words.Clip(line, 400), "\r"))
	}
	return p
}

func readSource(file string, folders []string) (string, bool) {
	if !slices.Contains(sourceFiles[:], words.Fold(filepath.Ext(file))) {
		return "", false
	}
	return readBelow(file, folders, maxSource)
}

// readBelow reads a regular file that lies below one of the folders, links followed.
func readBelow(file string, folders []string, limit int64) (string, bool) {
	if !filepath.IsAbs(file) {
		return "", false
	}
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return "", false
	}
	below := func(dir string) bool {
		if dir == "" {
			return false
		}
		if link, err := filepath.EvalSymlinks(dir); err == nil {
			dir = link
		}
		rel, err := filepath.Rel(dir, real)
		return err == nil && filepath.IsLocal(rel) && filepath.Dir(dir) != dir // not all of the machine
	}
	if !slices.ContainsFunc(folders, below) {
		return "", false
	}
	if info, err := os.Stat(real); err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	raw, err := safefile.Read(real, limit)
	return string(raw), err == nil
}

// mapped is the place in the source that a place of a compiled file comes from, and the text
// of the source where the map has it.
func mapped(f stack.Frame, text string, folders []string) (to stack.Frame, content string, ok bool) {
	name := filepath.Base(f.File) + ".map"
	if i := strings.LastIndex(text, "//# sourceMappingURL="); i >= 0 {
		named, _, _ := strings.Cut(text[i+len("//# sourceMappingURL="):], "\n")
		if named = strings.TrimSpace(named); named != "" && !strings.Contains(named, ":") {
			name = filepath.FromSlash(named)
		}
	}
	dir := filepath.Dir(f.File)
	raw, ok := readBelow(filepath.Join(dir, name), folders, maxMap)
	if !ok {
		return f, "", false
	}
	var m struct {
		SourceRoot     string    `json:"sourceRoot"`
		Sources        []string  `json:"sources"`
		SourcesContent []*string `json:"sourcesContent"`
		Mappings       string    `json:"mappings"`
	}
	if json.Unmarshal([]byte(raw), &m) != nil {
		return f, "", false
	}
	source, line, col, ok := stack.Original(m.Mappings, f.Line-1, max(f.Col-1, 0))
	if !ok || source < 0 || source >= len(m.Sources) {
		return f, "", false
	}
	file := filepath.Join(dir, filepath.FromSlash(m.SourceRoot+m.Sources[source]))
	to = stack.Frame{Func: f.Func, File: file, Line: line + 1, Col: col + 1, Own: f.Own}
	if source < len(m.SourcesContent) && m.SourcesContent[source] != nil {
		content = *m.SourcesContent[source]
	}
	return to, content, true
}
