package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var cachingHintsMissing = &diagnose.Rule{
	ID: "caching-hints-missing",
	On: diagnose.ModernResults,
	Methods: []string{
		mcp.Discover, mcp.ToolsList, mcp.PromptsList, mcp.ResourcesList, mcp.ResourceTemplatesList,
		mcp.ResourcesRead, mcp.SkillsList, mcp.SkillsGet,
	},
	Check: checkCaching,
}

// page is what the latest page of a list said.
type page struct {
	cursor, scope string
	n             uint64
}

func checkCaching(c *diagnose.Case) {
	if !modernResponse(c) {
		return
	}
	ttl, scope := c.Result("ttlMs"), c.Result("cacheScope")
	if kind := resultType(c); kind != "" && kind != "complete" {
		if kind == "input_required" && (ttl != nil || scope != nil) {
			c.ReportAs("input", diagnose.Finding{
				Severity: diagnose.Note,
				Message:  "The response to " + quote(c.Call.Method) + " (" + frame(c.N) + ") asks for input and has caching hints. A result that asks for input cannot be cached.",
				Frames:   []uint64{c.N, c.Call.N},
			})
		}
		return
	}
	what := ""
	switch n, whole := wire.Int(ttl); {
	case ttl == nil && scope == nil:
		what = "has neither ttlMs nor cacheScope"
	case ttl == nil:
		what = "has no ttlMs"
	case whole && n < 0, !whole && !isWholeNumber(ttl):
		what = "has " + quoteJSON(ttl) + " for ttlMs, which must be an integer, 0 or more"
	case scope == nil:
		what = "has no cacheScope"
	case text(scope) != "public" && text(scope) != "private":
		what = "has " + quoteJSON(scope) + " for cacheScope, which must be “public” or “private”"
	}
	if what != "" {
		c.Say(c.Call.Method+what, "The result of "+quote(c.Call.Method)+" ("+frame(c.N)+") "+what+".", c.N, c.Call.N)
		return
	}
	comparePages(c, text(scope))
}

// comparePages: all pages of a list have one scope.
func comparePages(c *diagnose.Case, scope string) {
	latest := made(diagnose.State[map[string]page](c))
	before, known := latest[c.Call.Method]
	if cursor := text(wire.Get(c.Call.Params, "cursor")); known && cursor != "" && cursor == before.cursor &&
		scope != before.scope {
		c.Say(c.Call.Method+"scope", "One page of "+quote(c.Call.Method)+" ("+frame(before.n)+") is "+before.scope+", and the next one ("+frame(c.N)+") "+scope+". All pages of a list have one cacheScope.",
			c.N, before.n)
	}
	if next := text(c.Result("nextCursor")); next != "" {
		latest[c.Call.Method] = page{next, scope, c.N}
	}
}

// isWholeNumber says whether a number that does not fit into 64 bits, or is
// written with a fraction or an exponent, is whole and not negative all the
// same.
func isWholeNumber(raw []byte) bool {
	if len(raw) == 0 || raw[0] < '0' || raw[0] > '9' {
		return false
	}
	for i, b := range raw {
		if b == '.' {
			for _, d := range raw[i+1:] {
				if d != '0' {
					return false
				}
			}
			return true
		}
		if b == 'e' || b == 'E' {
			return true // who writes it so may mean it
		}
	}
	return true
}
