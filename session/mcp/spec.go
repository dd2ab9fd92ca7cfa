package mcp

import (
	"slices"
	"strings"

	"midwire/session/words"
)

// specPages are the pages that not every version has: those versions that do.
var specPages = map[string][]Version{
	"basic/messages":                   {V20241105},
	"basic/lifecycle":                  handshakeVersions,
	"basic/transports":                 handshakeVersions,
	"basic/utilities/ping":             handshakeVersions,
	"basic/utilities/progress":         handshakeVersions,
	"basic/utilities/cancellation":     handshakeVersions,
	"basic/utilities/tasks":            {V20251125},
	"basic/authorization":              {V20250326, V20250618, V20251125, V20260728},
	"basic/versioning":                 {V20260728},
	"basic/transports/stdio":           {V20260728},
	"basic/transports/streamable-http": {V20260728},
	"basic/patterns/cancellation":      {V20260728},
	"basic/patterns/mrtr":              {V20260728},
	"basic/patterns/progress":          {V20260728},
	"basic/patterns/subscriptions":     {V20260728},
	"client/elicitation":               {V20250618, V20251125, V20260728},
	"changelog":                        {V20250326, V20250618, V20251125, V20260728},
	"schema":                           {V20250618, V20251125, V20260728},
	"server/discover":                  {V20260728},
	"server/utilities/caching":         {V20260728},
}

var handshakeVersions = []Version{V20241105, V20250326, V20250618, V20251125}

// specMoved is where other versions say what a page says.
var specMoved = map[string][]string{
	"basic/messages":                   {"basic"},
	"basic/lifecycle":                  {"basic/versioning"},
	"basic/versioning":                 {"basic/lifecycle"},
	"basic/transports":                 {"basic/transports/streamable-http"},
	"basic/transports/stdio":           {"basic/transports"},
	"basic/transports/streamable-http": {"basic/transports"},
	"basic/utilities/cancellation":     {"basic/patterns/cancellation"},
	"basic/utilities/progress":         {"basic/patterns/progress"},
	"schema":                           {"basic"},
	"basic/patterns/cancellation":      {"basic/utilities/cancellation"},
	"basic/patterns/progress":          {"basic/utilities/progress"},
}

// specSections are the sections that not every version with their page has: the first
// and the last version that do, "" for the latest. The key is as in an address.
var specSections = map[string]struct{ from, to Version }{
	"basic#_meta":              {V20250618, ""},
	"basic#error-codes":        {V20260728, ""},
	"basic#messages":           {V20250326, ""},
	"basic#notifications":      {V20250326, ""},
	"basic#requests":           {V20250326, ""},
	"basic#responses":          {V20250326, ""},
	"basic#resulttype":         {V20260728, ""},
	"basic#statelessness":      {V20260728, ""},
	"basic/lifecycle#timeouts": {V20250326, ""},

	"basic/transports#http-with-sse":                          {V20241105, V20241105},
	"basic/transports#backwards-compatibility":                {V20250326, ""},
	"basic/transports#listening-for-messages-from-the-server": {V20250326, ""},
	"basic/transports#resumability-and-redelivery":            {V20250326, ""},
	"basic/transports#sending-messages-to-the-server":         {V20250326, ""},
	"basic/transports#session-management":                     {V20250326, ""},
	"basic/transports#streamable-http":                        {V20250326, ""},
	"basic/transports#protocol-version-header":                {V20250618, ""},

	"basic/authorization#authorization-server-location":                      {V20250618, V20251125},
	"basic/authorization#canonical-server-uri":                               {V20250618, ""},
	"basic/authorization#communication-security":                             {V20250618, V20251125},
	"basic/authorization#resource-parameter-implementation":                  {V20250618, ""},
	"basic/authorization#client-registration-approaches":                     {V20251125, V20251125},
	"basic/authorization#protected-resource-metadata-discovery-requirements": {V20251125, V20251125},
	"basic/authorization#runtime-insufficient-scope-errors":                  {V20251125, ""},

	"server/tools#output-schema":                       {V20250618, ""},
	"server/tools#structured-content":                  {V20250618, ""},
	"server/tools#tool-names":                          {V20251125, ""},
	"server/tools#x-mcp-header":                        {V20260728, ""},
	"server/utilities/logging#requesting-log-messages": {V20260728, ""},
}

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
	if in, some := specSections[page+"#"+anchor]; some && (inForce < in.from || in.to != "" && inForce > in.to) {
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
	if cited == "SEP-2127" {
		return "https://modelcontextprotocol.io/seps/2127-mcp-server-cards"
	}
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
	has := func(page string) bool {
		in, some := specPages[page]
		return !some || slices.Contains(in, v)
	}
	if has(page) {
		return page
	}
	for _, other := range specMoved[page] {
		if has(other) {
			return other
		}
	}
	return ""
}
