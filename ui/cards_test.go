package ui

import (
	"testing"

	"midwire/session/diagnose"
	"midwire/session/evidence"
	"midwire/session/library/summary"
)

// cards are what two sessions come to: one of which the cause is known, and one of which it is not.
func cards() map[string]summary.Session {
	line := func(label string, texts ...string) (l evidence.Line) {
		l.Label = label
		for i, text := range texts {
			l.Parts = append(l.Parts, evidence.Part{Text: text, Quoted: i%2 == 1})
		}
		return l
	}
	cause := aSession("my-agent", 4, 1, summary.Finding{Rule: "session-id-not-echoed", Severity: diagnose.Error, Times: 1})
	cause.Card = []evidence.Line{
		line("fix", "Keep the header Mcp-Session-Id of the response to initialize, and send it with every POST, GET and DELETE of the session."),
		line("or", "If something between client and server drops the header: pass it on, both ways."),
		line("refused", "tools/list #9, after 3 ms"), line("ended", "my-agent closed its connections"),
	}
	seen := aSession("claude-code", 6, 2)
	trim := "Cannot read properties of undefined (reading 'trim')"
	seen.Result = diagnose.Verdict{
		Outcome: diagnose.Failed, Side: diagnose.Unclear, Severity: diagnose.Error, Short: "2 of 6 failed, 1 unanswered",
		Line: `2 of 6 tools/call failed: "` + trim + `"; 1 was not answered`,
	}
	seen.Card = []evidence.Line{
		line("failed", `search 2×: #14 category=`, "mugs", " limit=20 · #22 category=", "mugs", ", after 1.6 ms"),
		line("got", "isError ", trim),
		line("schema", "inputSchema of #7: query, category, limit; none is required"),
		line("served", "search #8 query=", "red mug", " → ", "2 hits: M-114 Red mug, M-118 Red mug XL"),
		line("differs", "- query, + category in both, + limit in #14 only; nothing else"),
		line("silent", "export_orders #30: no response in 20.0 s; claude-code gave up"),
		line("stderr", "14 lines; the first trouble #15 ", "search failed: TypeError: "+trim),
		line("silence", "20.0 s without a byte, from #31 to #32"),
		line("version", "2025-11-25 as asked"), line("in all", "served initialize, tools/list, 3 of 6 tools/call"),
		line("ended", "claude-code closed stdin 1.0 s after #32"),
	}
	return map[string]summary.Session{"cause": cause, "seen": seen}
}

// TestCards: the fix stands whole before everything else, what was seen names no side, and what
// has no room is named.
func TestCards(t *testing.T) {
	for name, one := range cards() {
		screens(t, "home-"+name, func(t *testing.T, w, h int) *driver {
			src := newFakeSource()
			src.ch <- Batch{Recordings: []Recording{{ID: "a", Label: "files", Tap: "http", Started: started(), Size: 5400}}}
			src.ch <- Batch{Summaries: map[string]*summary.Recording{"a": {Total: 1, Sessions: summary.Sessions{one}}}}
			d := drive(t, src, Options{Library: true}, w, h)
			return d
		})
	}
}
