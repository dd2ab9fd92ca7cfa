package schema

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"midwire/session/words"
)

// path is where a check is within a value.
type path struct {
	up    *path
	key   string
	index int // of an array, when key is ""
	depth int
	named bool
}

func (p *path) member(key string) *path {
	return &path{up: p, key: key, named: true, depth: p.level() + 1}
}

func (p *path) item(i int) *path { return &path{up: p, index: i, depth: p.level() + 1} }

func (p *path) level() int {
	if p == nil {
		return 0
	}
	return p.depth
}

// String is the path as a JSON pointer (RFC 6901), of one that is very long its end.
func (p *path) String() string {
	var parts []string
	for left := maxPath; p != nil; p = p.up {
		part := strconv.Itoa(p.index)
		if p.named {
			part = escape(words.Clip(p.key, maxPath))
		}
		if left -= len(part) + 1; left < 0 {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return ""
	}
	slices.Reverse(parts)
	return "/" + strings.Join(parts, "/")
}

var escaper, unescaper = strings.NewReplacer("~", "~0", "/", "~1"), strings.NewReplacer("~1", "/", "~0", "~")

func escape(key string) string {
	if strings.ContainsAny(key, "~/") {
		return escaper.Replace(key)
	}
	return key
}

// unescapeFragment undoes the escaping of a URL.
func unescapeFragment(s string) string {
	if t, err := url.PathUnescape(s); err == nil {
		return t
	}
	return s
}

// lookup follows a JSON pointer.
func lookup(v any, ptr string) (any, bool) {
	if ptr == "" {
		return v, true
	}
	for part := range strings.SplitSeq(ptr[1:], "/") {
		switch x := v.(type) {
		case map[string]any:
			next, ok := x[unescaper.Replace(part)]
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(x) {
				return nil, false
			}
			v = x[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// sortFaults puts what is nearest to the root first. Members of objects have no
// order, so that without this the same value would show another fault each time.
func sortFaults(list []Fault) {
	slices.SortFunc(list, func(a, b Fault) int {
		if a.depth != b.depth {
			return a.depth - b.depth
		}
		if c := strings.Compare(a.Path, b.Path); c != 0 {
			return c
		}
		return strings.Compare(a.Keyword+a.Text, b.Keyword+b.Text)
	})
}
