package mcp

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"midwire/session/words"
)

//go:embed spec.txt
var specText string

// specPlace is a page or a section that not every version has: the first and the last
// version that do, "" for the latest, and the page where other versions say it.
type specPlace struct {
	from, to Version
	moved    string
}

func (p specPlace) isIn(v Version) bool { return v >= p.from && (p.to == "" || v <= p.to) }

// specPlaces are those of spec.txt by their addresses.
var specPlaces = sync.OnceValue(func() map[string]specPlace {
	all := map[string]specPlace{}
	for line := range strings.Lines(specText) {
		f := append(strings.Fields(line), "", "")
		if len(f) > 4 && f[0] != "#" {
			all[f[0]] = specPlace{Version(f[1]), Version(strings.Trim(f[2], "-")), f[3]}
		}
	}
	return all
})

var specChapters = []string{"basic", "client", "server", "changelog", "schema"}

// citation is a place in the specification as the help of rules names it:
// "2025-11-25 basic/transports: Session Management".
type citation struct {
	version       Version
	page, section string
}

// citations finds those of a text, in order.
func citations(text string) (all []citation) {
	for len(text) > len(Latest) {
		c, rest := cite(text)
		if c.page != "" {
			all = append(all, c)
		}
		text = rest
	}
	return all
}

// cite reads the citation that a text begins with, if it does, and returns what is
// left of the text.
func cite(text string) (c citation, rest string) {
	version, rest := Version(text[:len(Latest)]), text[len(Latest):]
	page, ok := strings.CutPrefix(rest, " ")
	begins := func(chapter string) bool { return strings.HasPrefix(page, chapter) }
	if !ok || !version.IsDate() || !slices.ContainsFunc(specChapters, begins) {
		return c, text[1:]
	}
	rest = strings.TrimLeft(page, "abcdefghijklmnopqrstuvwxyz/-")
	c = citation{version: version, page: page[:len(page)-len(rest)]}
	if section, ok := strings.CutPrefix(rest, ": "); ok {
		end := strings.IndexAny(section+";", ";,(")
		c.section, rest = section[:end], section[end:]
	}
	return c, rest
}

// SpecURL is the address of what a citation names, in the wording of the protocol
// version in force where that has it, else of the cited one. Of several places it is
// that of the version in force, or the first. It is "" where none is named.
func SpecURL(cited string, inForce Version) string {
	all := citations(cited)
	if len(all) == 0 {
		return proposalURL(cited)
	}
	at := max(slices.IndexFunc(all, func(c citation) bool { return c.version == inForce }), 0)
	version, page, section := all[at].version, strings.TrimSuffix(all[at].page, "/index"), all[at].section
	anchor := strings.ReplaceAll(words.Fold(strings.TrimSpace(section)), " ", "-")
	if in, some := specPlaces()[page+"#"+anchor]; some && !in.isIn(inForce) {
		inForce = version // it says nothing of the kind
	}
	if inForce.IsPublished() && inForce != version {
		switch there := pageIn(page, inForce); there {
		case "":
		case page:
			version = inForce
		default:
			version, page, anchor = inForce, there, ""
		}
	}
	url := "https://modelcontextprotocol.io/specification/" + string(version) + "/" + page
	if anchor != "" {
		url += "#" + anchor
	}
	return url
}

// proposalURL is the address of the section of an extension's proposal that a text cites
// as "SEP-2640: Resource Mapping", "" where it cites none.
func proposalURL(cited string) string {
	for _, x := range extensions {
		section, ok := strings.CutPrefix(cited, x.SEP+": ")
		if !ok {
			continue
		}
		section, _, _ = strings.Cut(section, ",")
		anchor := func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
				return r
			}
			return -1
		}
		return x.Link + "#" + strings.Map(anchor, words.Fold(strings.TrimSpace(section)))
	}
	return ""
}

// pageIn is the page of a version that has what page says, "" for none.
func pageIn(page string, v Version) string {
	for _, there := range []string{page, specPlaces()[page].moved} {
		if in, some := specPlaces()[there]; !some || in.isIn(v) {
			return there
		}
	}
	return ""
}
