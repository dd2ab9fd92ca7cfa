package ui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"

	"midwire/fixtures/transcript"
	"midwire/session/wire"
)

// brokenStdio is a session in which much goes wrong.
const brokenStdio = `tap stdio
start {"command":["node","server.js"],"pid":7}
> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"agent","version":"3"}}}
wait 40
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"files-server","version":"1.4.0"}}}
> {"jsonrpc":"2.0","id":1,"method":"tools/list"}
> {"jsonrpc":"2.0","method":"notifications/initialized"}
< {"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"Server not initialized"}}
< [debug] listing tools
> {"jsonrpc":"2.0","id":2,"method":"tools/list"}
< {"jsonrpc":"2.0","id":2,"result":{"tools":[]}}
< [debug] done
> {"jsonrpc":"2.0","id":3,"method":"prompts/list"}
< {"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"Method not found"}}
> {"jsonrpc":"2.0","id":4,"method":"resources/list"}
< {"jsonrpc":"2.0","id":4,"error":{"code":-32601,"message":"Method not found"}}
> {"jsonrpc":"2.0","id":5,"method":"ping"}
`

// brokenHTTP is two sessions, of which the second is forgotten.
const brokenHTTP = `tap http
1.1 > POST /mcp || {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"one","version":"1"}}}
1.1 < 200 application/json | Mcp-Session-ID: aaaa1111 || {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}
1.2 > POST /mcp | Mcp-Session-ID: aaaa1111 || {"jsonrpc":"2.0","id":1,"method":"prompts/list"}
1.2 < 200 application/json || {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}
2.3 > POST /mcp || {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"two","version":"1"}}}
2.3 < 200 application/json | Mcp-Session-ID: bbbb2222 || {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}
2.4 > POST /mcp | Mcp-Session-ID: bbbb2222 || {"jsonrpc":"2.0","id":1,"method":"tools/list"}
2.4 < 404 application/json || {"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"Session not found"}}
`

// framesOf reads a transcript.
func framesOf(t testing.TB, text string) []wire.Frame {
	t.Helper()
	s, err := transcript.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]wire.Frame, len(s.Frames))
	for i, f := range s.Frames {
		out[i] = *f
	}
	return out
}

// broken is a source with a live recording of each transport.
func broken(t testing.TB) *fakeSource {
	s := having(Recording{ID: "files", Label: "files-server", Tap: "stdio", Where: "node server.js", Live: true}, framesOf(t, brokenStdio))
	s.give(Recording{ID: "pages", Label: "pages", Tap: "http", Where: "127.0.0.1:7000 → http://localhost:3000", Live: true}, framesOf(t, brokenHTTP))
	return s
}

// news delivers more frames of a recording.
func (d *driver) news(s *fakeSource, rec string, fs []wire.Frame) {
	d.t.Helper()
	s.ch <- Batch{Frames: tagged(rec, fs)}
	d.send()
}

func TestFindingsComeWithTheMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, fs := newFakeSource(), framesOf(t, brokenStdio)
		s.recs["p"] = fs
		s.ch <- Batch{Recordings: []Recording{live("p")}, Frames: tagged("p", fs[:5])}
		d := drive(t, s, Options{}, 160, 40)
		d.wantNot("! findings", "explains")
		d.press("!")
		d.want("✓ No findings", "2 exchanges against 5 rules", "they appear here")
		d.news(s, "p", fs[5:6])
		d.want("1 error", "initialized-late", "Client agent 3 sent “tools/list” (#4) before", "✗ #4  tools/list", "✗ #6  response", "failed")
		d.press("esc")
		d.want("1 finding", "✗   4", "✗ initialized: late", "! findings")
		d.news(s, "p", fs[6:])
		d.want(" 4 findings ", "4 findings", "!   7", "i  11")
	})
}

func TestJumpToEvidenceAndBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, broken(t), Options{}, 120, 36)
		d.press("/")
		d.typed("method:ping")
		d.press("enter", "!")
		d.want("✗ #4  tools/list")
		d.press("enter") // the filter would hide it
		d.want("▌✗   4", "10 exchanges", "esc findings", "✗ tools/list #4")
		d.press("enter", "h")
		d.want("[Raw]", "esc findings")
		d.press("esc", "esc")
		d.want("files-server ▸ findings", "✗ #4  tools/list")
		d.press("esc")
		d.want("files-server ▸ messages", "1 of 10", "▌   15")
		d.wantNot("esc findings")
		d.press("esc")
		d.want("10 exchanges")
		d.wantNot("match")
	})
}

func TestWhoStaysDoesNotComeBack(t *testing.T) {
	for _, keys := range []string{"/ p i n g enter", "e", "1 j"} {
		synctest.Test(t, func(t *testing.T) {
			d := drive(t, broken(t), Options{}, 120, 36)
			d.press("!", "enter")
			d.want("esc findings")
			d.press(strings.Fields(keys)...)
			d.press("esc", "esc")
			d.wantNot("▸ findings", "esc findings")
		})
	}
}

func TestOnlyTheMessagesOfARule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, broken(t), Options{}, 120, 36)
		d.press("!", "]", "f")
		d.want("/finding:stdout-noise", "2 of 10", "▌!   7")
		d.press("esc")
		d.want("stdout-noise ─╮", "exchange 1 of 2")
		d.press("esc")
		d.want("files-server ▸ messages", "10 exchanges", "● live")
	})
}

func TestReachOfTheReport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, broken(t), Options{}, 120, 36)
		d.press("1", "G", "k", "2", "!") // the first session of the HTTP tap
		d.want("pages ▸ one ▸ findings", " 1 note ", "1 of 1 session", "findings of this session")
		d.press("s")
		d.want("pages ▸ findings", "1 error   1 note", "2 of 2 sessions", "findings of this recording")
		d.press("s")
		d.want("all that was read ▸ findings", "2 errors   1 warning   3 notes", "findings of 2 recordings")
		d.press("g", "enter") // into the other recording
		d.want("files-server ▸ messages", "esc findings", "▌✗   4")
		d.press("esc")
		d.want("all that was read ▸ findings")
		d.press("esc")
		d.want("pages ▸ one ▸ messages")
	})
}

func TestBracketsGoToFindings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, broken(t), Options{}, 120, 36)
		d.press("g")
		for _, at := range []string{"▌✗   4", "▌!   7", "▌!  10", "▌i  11", "▌i  13"} {
			d.press("]")
			d.want(at)
		}
		d.press("]")
		d.want("no further problem")
		d.press("[")
		d.want("▌i  11")
		d.press("!")
		d.want("unknown-method", "exchange 1 of 2", "The server does not know “prompts/list”")
	})
}

func TestFindingFilters(t *testing.T) {
	for filter, want := range map[string]string{
		"finding:any": "5 of 10", "finding:late": "1 of 10", "finding:stdout-noise": "2 of 10", "!finding:any": "5 of 10",
		"severity:error": "1 of 10", "severity:warn": "2 of 10", "severity:notes": "2 of 10", "finding:nothing": "0 of 10",
		"severity:bad": "▲ severity: error warning note",
	} {
		synctest.Test(t, func(t *testing.T) {
			d := drive(t, broken(t), Options{}, 120, 36)
			d.press("/")
			d.typed(filter)
			d.press("enter")
			d.want(want)
		})
	}
}

// TestLateFindingsEnterTheFilter adds to a list that is filtered by findings.
func TestLateFindingsEnterTheFilter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, fs := newFakeSource(), framesOf(t, brokenStdio)
		s.recs["p"] = fs
		s.ch <- Batch{Recordings: []Recording{live("p")}, Frames: tagged("p", fs[:5])}
		d := drive(t, s, Options{}, 120, 36)
		d.press("/")
		d.typed("finding:any")
		d.want("0 of 4 match")
		d.news(s, "p", fs[5:])
		d.want("5 of 10 match")
	})
}

// TestEndOfARecordingIsChecked has a rule that speaks only at the end.
func TestEndOfARecordingIsChecked(t *testing.T) {
	for _, how := range []string{"was live", "was loaded"} {
		synctest.Test(t, func(t *testing.T) {
			s, fs := newFakeSource(), framesOf(t, brokenStdio)
			s.recs["p"] = fs
			r := live("p")
			if how == "was loaded" {
				r.Live = false
				s.ch <- Batch{Recordings: []Recording{r}}
			} else {
				s.ch <- Batch{Recordings: []Recording{r}, Frames: tagged("p", fs)}
			}
			d := drive(t, s, Options{}, 120, 36)
			if how == "was loaded" {
				d.press("enter")
			}
			d.press("2", "G")
			d.want("4 findings", "▌   15")
			r.Live = false
			s.ch <- Batch{Recordings: []Recording{r}, Loading: map[string]float64{"p": 1}}
			d.send()
			d.want("5 findings", "▌!  15")
			s.ch <- Batch{Recordings: []Recording{r}, Loading: map[string]float64{"p": 1}}
			d.send()
			d.want("5 findings")
		})
	}
}

func TestFindingsByMouse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, broken(t), Options{}, 120, 36)
		click := func(x, y int) { d.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft}) }
		click(110, 2) // the life cycle
		d.want("files-server ▸ findings", "initialized-late ─╮")
		click(20, 4)
		d.want("stdout-noise ─╮", "A print or a logger", "! #7  stdout noise", "[debug] listing tools")
		at := func(text string) (x, y int) {
			for y, line := range strings.Split(d.screen(), "\n") {
				if before, _, ok := strings.Cut(line, text); ok {
					return len([]rune(before)), y
				}
			}
			t.Fatalf("%q is not on the screen", text)
			return 0, 0
		}
		click(at("#10"))
		d.want("exchange 2 of 2", "! #10  stdout noise", "[debug] done")
		click(20, 4)
		d.want("files-server ▸ messages", "▌!  10")
		d.press("esc")
		click(at("#10  stdout")) // the block
		d.want("files-server ▸ messages", "▌!  10")
		d.press("esc")
		x, y := at("✗──")
		click(x, y) // the time line
		d.want("exchange 1 of 2")
		d.press("esc", "g", "tab")
		d.send(tea.WindowSizeMsg{Width: 60, Height: 15}, tea.MouseWheelMsg{X: 30, Y: 8, Button: tea.MouseWheelDown})
		d.want("3-13 of 13 lines", "initialized-late")
	})
}

// copied is what was sent to the clipboard of the terminal by a key.
func (d *driver) copied(key string) string {
	d.t.Helper()
	_, cmd := d.m.Update(keyPress(key))
	for _, c := range cmds(cmd) {
		if s := fmt.Sprintf("%T", c); s == "tea.setClipboardMsg" {
			return fmt.Sprint(c)
		}
	}
	d.t.Fatal("nothing was copied")
	return ""
}

// cmds runs a command and those it is made of, and returns what they send at
// once.
func cmds(c tea.Cmd) (out []tea.Msg) {
	if c == nil {
		return nil
	}
	msg := c()
	batch, ok := msg.(tea.BatchMsg)
	if !ok {
		return []tea.Msg{msg}
	}
	for _, c := range batch {
		out = append(out, cmds(c)...)
	}
	return out
}

func TestExplanationIsCopied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, broken(t), Options{}, 120, 36)
		d.press("!")
		got := d.copied("y")
		for _, want := range []string{
			"### error: A request came before", "**Responsible.** The client agent 3", "**How to fix it.** In the client: wait",
			"- #4 tools/list → -32002 Server not initialized, at 0.044 s", "Rule `initialized-late`, recording files",
		} {
			if !strings.Contains(got, want) {
				t.Errorf("%q is not in\n%s", want, got)
			}
		}
		d.press("enter", "y")
		d.want("findings as Markdown")
		if !strings.Contains(d.copied("f"), "**What happened.**") {
			t.Error("the menu copies something else")
		}
	})
}
