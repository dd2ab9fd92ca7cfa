package ask

import (
	"cmp"
	"context"
	"slices"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/insight"
	"midwire/session/mcp"
	"midwire/session/record"
	"midwire/ui/query"
)

// Tools asks which tools a server offers, how their calls went, and what is wrong
// with their definitions.
type Tools struct {
	Session string `json:"session" word:"arg" jsonschema:"RECORDING.NUMBER, or RECORDING for all of it"`
	Limit   int    `json:"limit,omitempty" word:"--limit" jsonschema:"how many, default 40, at most 100"`
	Cursor  string `json:"cursor,omitempty" word:"--cursor" jsonschema:"from next of the page before"`
}

// Tool is a tool, and how its calls went.
type Tool struct {
	Name       string   `json:"name"`
	Definition int      `json:"definition_bytes"`       // 0 when it was never listed
	Cost       int      `json:"definition_tokens"`      // about: description_tokens, schema_tokens and the name
	Described  int      `json:"description_tokens"`     // about
	Schema     int      `json:"schema_tokens"`          // about
	Listed     uint64   `json:"listed_frame,omitempty"` // of the latest list that has it
	Gone       bool     `json:"gone,omitempty"`         // a later list has it no more
	Calls      int      `json:"calls"`
	Errors     int      `json:"errors"` // JSON-RPC errors, and results with isError
	Lost       int      `json:"lost,omitempty"`
	Pending    int      `json:"pending,omitempty"`
	P50        float64  `json:"p50_ms,omitempty"`
	Max        float64  `json:"max_ms,omitempty"`
	Bytes      int64    `json:"result_bytes,omitempty"` // of all results
	Results    int      `json:"result_tokens"`          // about, of all results
	First      uint64   `json:"first_call_frame,omitempty"`
	Findings   []string `json:"findings,omitempty"` // rules that found something about it
}

// ToolPage is a page of tools, those with trouble first.
type ToolPage struct {
	Session string `json:"session"`
	Tools   []Tool `json:"tools" least:"1"`
	Total   int    `json:"total"`
	From    int    `json:"from"`
	Calls   int    `json:"calls"`
	Never   int    `json:"never_called"`
	Bytes   int    `json:"definition_bytes"`       // of all: what each chat pays for
	Tokens  int    `json:"definition_tokens"`      // of all, about
	Results int    `json:"result_tokens"`          // of all results, about
	List    uint64 `json:"list_frame,omitempty"`   // frame of the latest list
	Refused uint64 `json:"list_refused,omitempty"` // frame of a refusal to list
	Leads

	ask Tools
}

// Ask implements Question.
func (q Tools) Ask(ctx context.Context, r *Recordings) (*ToolPage, error) {
	at, err := r.find(q.Session)
	if err != nil {
		return nil, err
	}
	scope := insight.Whole
	if at.session > 0 {
		scope = at.session - 1
	}
	p := &ToolPage{Session: at.ref(), ask: q}
	return p, r.use(ctx, at, func(o *opened) error {
		book, err := o.insights(ctx)
		if err != nil {
			return err
		}
		l := book.Items(insight.Tool, scope)
		p.Total, p.Calls, p.Never, p.Bytes = len(l.Items), l.Calls, l.Never, l.Bytes
		p.Tokens, p.Results = l.Tokens, l.ResultTokens
		p.List, p.Refused = l.Response, l.Refused
		all := make([]Tool, len(l.Items))
		for i := range l.Items {
			all[i] = toolOf(&l.Items[i])
		}
		o.findTools(all, at.session)
		slices.SortStableFunc(all, func(a, b Tool) int {
			return cmp.Or(cmp.Compare(b.bad(), a.bad()), cmp.Compare(b.Calls, a.Calls))
		})
		from, to, err := window(len(all), q.Cursor, q.Limit, 40, 100)
		p.Tools, p.From = all[from:to], from
		return err
	})
}

// insights reads what the recording says beside its rows, as far as it goes by now.
func (o *opened) insights(ctx context.Context) (*insight.Book, error) {
	if o.book == nil {
		r, err := record.Open(o.path)
		if err != nil {
			return nil, err
		}
		o.book, o.beside = insight.New(session.Options{Tap: r.Header().Tap}), r
	}
	return o.book, each(ctx, o.beside, o.book.Apply)
}

func toolOf(it *insight.Item) Tool {
	ms := func(ns int64) float64 { return float64(ns/1000) / 1000 }
	return Tool{
		Name: it.Name, Definition: it.Size, Listed: it.Listed, Gone: it.Gone, Calls: it.Calls,
		Errors: it.Errors + it.Failed, Lost: it.Lost, Pending: it.Pending, P50: ms(it.P50), Max: ms(it.Max),
		Bytes: it.Bytes, First: it.First,
		Cost: it.Cost.All(), Described: it.Cost.Description, Schema: it.Cost.Schema, Results: it.Tokens,
	}
}

func (t *Tool) bad() int { return len(t.Findings)*1000 + t.Errors + t.Lost }

// findTools notes the rules that found something about a tool.
func (o *opened) findTools(all []Tool, session int) {
	o.each(session, func(f *diagnose.Finding) {
		called := map[string]bool{}
		for _, name := range f.Items {
			called[name] = true
		}
		for _, n := range f.Frames {
			if i := o.rec.RowAt(n); i >= 0 && o.rec.Tracker.Name(o.row(i).Name) == mcp.ToolsCall {
				called[query.ToolOf(o.rec, o.row(i), i)] = true
			}
		}
		for i := range all {
			if t := &all[i]; called[t.Name] && !slices.Contains(t.Findings, f.Rule.ID) {
				t.Findings = append(t.Findings, f.Rule.ID)
			}
		}
	})
}

func (p *ToolPage) lead() {
	p.restart(toolTools, p.ask, p.From+len(p.Tools), p.Total)
	if p.List > 0 {
		args := map[string]any{"session": p.Session, "frame": p.List, "path": ".result.tools[].name"}
		p.add(toolMessage, "the list as the server sent it", args)
	}
}
