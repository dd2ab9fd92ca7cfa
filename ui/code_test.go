package ui

import (
	"strings"
	"testing"
	"testing/synctest"

	"midwire/session/diagnose/rules"
	trace "midwire/session/stack"
	"midwire/ui/view/findings"
)

// coder knows one place, and counts what it is asked.
type coder struct {
	place findings.Place
	asked int
}

func (c *coder) Place(string, []uint64) (findings.Place, error) {
	c.asked++
	return c.place, nil
}

// refusal is a session whose server is at fault for a request that it refuses.
const refusal = `tap stdio
> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"desk","version":"1"}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"shop","version":"1"}}}
> {"jsonrpc":"2.0","method":"notifications/initialized"}
> {"jsonrpc":"2.0","id":1,"method":"ping"}
< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}
`

// TestCodeOfAFinding: the lines are there, the one that fails is marked, its title leads to the
// file, and nothing of them reaches the terminal as an escape.
func TestCodeOfAFinding(t *testing.T) { synctest.Test(t, codeOfAFinding) }

func codeOfAFinding(t *testing.T) {
	known := &coder{place: &trace.Place{
		Frame: trace.Frame{Func: "search\x1b[2J", File: "/srv/shöp/search\x1b]8;;.ts", Line: 41},
		First: 39, Lines: []string{"export async function search(args: Args) {", "", "\tconst q = args.query.trim()\x1b[31m", "\tconst hits = q", "}"},
	}}
	s := having(Recording{ID: "r", Label: "shop", Tap: "stdio", Live: true}, framesOf(t, refusal))
	d := drive(t, s, Options{rules: rules.All(), Coder: known}, 120, 60)
	d.press("!")
	d.want("source", "/srv/shöp/search", ":41", "39 │", "41 │     const q = args.query.trim()")
	raw := d.m.View().Content
	if !strings.Contains(raw, "\x1b]8;;file:///srv/sh%C3%B6p/search%1B") || strings.Contains(raw, "\x1b[2J") {
		t.Errorf("the link, or an escape: %q", raw)
	}
	d.press("j", "k")
	if known.asked != 1 {
		t.Errorf("asked %d times", known.asked)
	}
}
