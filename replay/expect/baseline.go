package expect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

const baselineKind = "baseline"

// Baseline is what a server offered once: what models and people trusted.
type Baseline struct {
	Midwire string          `json:"midwire"`
	Server  string          `json:"server,omitempty"`
	Taken   string          `json:"taken,omitempty"` // the day
	Lists   map[string]list `json:"lists"`           // by the member of their results: tools, prompts, resourceTemplates
	// Instructions are those of initialize, which models read too.
	Instructions *string `json:"instructions,omitempty"`
}

// list is the definitions of a list by their names.
type list map[string]json.RawMessage

func (b *Baseline) named() string { return b.Midwire }

// ReadBaseline reads what Write wrote.
func ReadBaseline(text []byte) (*Baseline, error) {
	b := &Baseline{}
	return b, read(text, baselineKind, b)
}

// Write is the text of the file.
func (b *Baseline) Write() ([]byte, error) { return write(b) }

// Count is how many definitions there are.
func (b *Baseline) Count() (n int) {
	for _, l := range b.Lists {
		n += len(l)
	}
	return n
}

var members = map[string][2]string{ // of results, and what names an item
	mcp.ToolsList: {"tools", "name"}, mcp.PromptsList: {"prompts", "name"},
	mcp.ResourceTemplatesList: {"resourceTemplates", "uriTemplate"},
}

// words for one of a list.
var single = map[string]string{"tools": "tool", "prompts": "prompt", "resourceTemplates": "resource template"}

// pages is a list that is being read.
type pages struct {
	seen map[string]list // by member, of the pages so far
}

// take takes a page; whole is the list when it was the last one.
func (p *pages) take(c *diagnose.Case) (member string, whole list) {
	of := members[c.Call.Method]
	if p.seen == nil {
		p.seen = map[string]list{}
	}
	if p.seen[of[0]] == nil {
		p.seen[of[0]] = list{}
	}
	at := p.seen[of[0]]
	wire.Items(c.Result(of[0]), func(_ int, raw []byte) bool {
		at[wire.Text(wire.Get(raw, of[1]))] = bytes.Clone(raw)
		return len(at) < mostListed
	})
	if len(c.Result("nextCursor")) > 2 {
		return of[0], nil
	}
	delete(p.seen, of[0])
	return of[0], at
}

const mostListed = 20_000

func listRule(id string, check func(c *diagnose.Case)) *diagnose.Rule {
	return &diagnose.Rule{
		ID: id, On: diagnose.Results, Severity: diagnose.Warning, Side: diagnose.Server, Check: func(c *diagnose.Case) {
			if c.Call != nil && c.Call.Dir == wire.ToServer {
				check(c)
			}
		},
		Methods: []string{mcp.ToolsList, mcp.PromptsList, mcp.ResourceTemplatesList, mcp.Initialize, mcp.Discover},
	}
}

// Collect is a baseline, empty yet, and the rule that fills it from a recording; the latest
// whole lists count.
func Collect() (*Baseline, *diagnose.Rule) {
	b := &Baseline{Midwire: baselineKind, Lists: map[string]list{}}
	return b, listRule("collect", func(c *diagnose.Case) {
		if members[c.Call.Method][0] == "" {
			text := wire.Text(c.Result("instructions"))
			b.Instructions = &text
			b.Server = strings.TrimSpace(wire.Text(c.Result("serverInfo", "name")) + " " + wire.Text(c.Result("serverInfo", "version")))
			return
		}
		if member, whole := diagnose.State[pages](c).take(c); whole != nil {
			b.Lists[member] = whole
		}
	})
}

// rule finds what is not as it was.
func (b *Baseline) rule() *diagnose.Rule {
	r := listRule("definition-changed", func(c *diagnose.Case) {
		if members[c.Call.Method][0] == "" {
			if now := wire.Text(c.Result("instructions")); b.Instructions != nil && now != *b.Instructions {
				b.report(c, "instructions", "The instructions of the server changed", "", Words(*b.Instructions, now))
			}
			return
		}
		member, whole := diagnose.State[pages](c).take(c)
		if was := b.Lists[member]; whole != nil && was != nil {
			b.compare(c, single[member], was, whole)
		}
	})
	r.Title, r.Brief = "The server's definitions are not those of the baseline", "definition changed"
	r.Page = page("A tool, prompt or template of the server, or its instructions, differ from the file of --baseline. "+
		"Models act by these texts, and people agreed to the old ones.",
		"A new version of the server; or the server, or someone between, changes what was agreed to (a “rug pull”).",
		"look at the change. If it is as it should be, write the baseline again: midwire baseline REC -o FILE.", diagnose.Unclear)
	return r
}

func (b *Baseline) compare(c *diagnose.Case, kind string, was, now list) {
	for _, name := range slices.Sorted(maps.Keys(now)) {
		old, known := was[name]
		switch {
		case !known:
			b.report(c, kind+name, "The "+kind+" "+quote(name)+" was added", name, descriptionOf(now[name]))
		case !bytes.Equal(old, now[name]):
			if what := Definition(old, now[name]); len(what) > 0 {
				b.report(c, kind+name, "The "+kind+" "+quote(name)+" changed", name, strings.Join(what, "; "))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if _, still := now[name]; !still {
			b.report(c, kind+name, "The "+kind+" "+quote(name)+" was removed", name, "")
		}
	}
}

func descriptionOf(definition []byte) string {
	if text := wire.Text(wire.Get(definition, "description")); text != "" {
		return "description {+" + clip(text) + "+}"
	}
	return ""
}

func (b *Baseline) report(c *diagnose.Case, key, what, name, how string) {
	f := diagnose.Finding{Message: fmt.Sprintf("%s since the baseline (#%d)", what, c.N)}
	if b.Taken != "" {
		f.Message = fmt.Sprintf("%s since %s (#%d)", what, clip(b.Taken), c.N)
	}
	if how != "" {
		f.Message += ": " + how
	}
	f.Message += "."
	if name != "" {
		f.Items = []string{name}
	}
	c.ReportAs(key, f)
}
