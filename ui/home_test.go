package ui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/replay"
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/library/summary"
	"midwire/ui/internal/scenes"
	"midwire/ui/replaying"
)

// summarised is a library of recordings with their summaries: two of today, of
// which one fails, one of yesterday with two sessions, and one not read yet.
func summarised() *fakeSource {
	s := newFakeSource()
	at := func(id, label, tap string, ago time.Duration) Recording {
		return Recording{ID: id, Label: label, Tap: tap, Where: label + " --run", Started: started().Add(-ago), Size: 5400}
	}
	s.ch <- Batch{Recordings: []Recording{
		at("a", "files", "stdio", time.Minute), at("b", "files", "stdio", 2*time.Minute),
		at("c", "gateway", "http", 20*time.Hour), at("d", "unread", "stdio", 21*time.Hour),
	}}
	s.recs["a"], s.recs["b"], s.recs["c"] = scenes.Stdio(), scenes.Stdio(), scenes.HTTP()
	bad := summary.Finding{Rule: "session-id-not-echoed", Title: "The client does not send the assigned session id", Severity: diagnose.Error, Times: 9}
	s.ch <- Batch{Summaries: map[string]*summary.Recording{
		"a": {Total: 1, Sessions: summary.Sessions{aSession("my-agent", 10, 9, bad)}},
		"b": {Total: 1, Sessions: summary.Sessions{aSession("cursor", 31, 0)}},
		"c": {Total: 2, Sessions: summary.Sessions{aSession("cron-bot", 3, 1), second(aSession("cron-bot", 4, 0))}},
	}}
	return s
}

func second(s summary.Session) summary.Session {
	s.Index, s.Frame, s.ID = 1, 9, "77b0-0c"
	return s
}

func aSession(client string, calls, errs int, found ...summary.Finding) summary.Session {
	s := summary.Session{
		Frame: 3, ID: "9f3c77d0-5a1e-4c0b-a7d2-0000000000a1", Why: "Mcp-Session-Id header",
		Client: summary.Peer{Name: client, Version: "1.4"}, Server: summary.Peer{Name: "workbench", Version: "2.1.0"},
		ProtocolVersion: "2025-06-18", Transport: session.TransportHTTP, State: session.StateOperating,
		Last: int64(3 * time.Second), Messages: 2 * calls, Calls: calls, Errors: errs, P95: int64(43 * time.Millisecond),
		Steps:    []summary.Step{{Name: "initialize", Mark: session.StepDone}, {Name: "operating", Mark: session.StepNow}},
		Tools:    []summary.Tool{{Name: "read_" + client, Calls: calls}},
		Rows:     []summary.Row{{Frame: 21, T: 1e9, Dir: '>', Method: "tools/call", Target: `read path="a"`, Result: "text of a", Latency: 5e6, Ending: session.Served}},
		Findings: found,
	}
	s.Activity.Messages[0], s.Activity.Messages[9] = 8, 2
	s.Result = diagnose.Verdict{Outcome: diagnose.Served, Line: "all served: tools/list", Short: "all served"}
	if len(found) > 0 {
		s.Result = diagnose.Verdict{
			Outcome: diagnose.Failed, Known: true, Rule: found[0].Rule, Severity: diagnose.Error, Side: diagnose.Client,
			Short: "session id left out", Line: "workbench issued session id “42” (#5), and my-agent sent tools/list (#9) without it.",
		}
	}
	return s
}

// TestHomeScreens: what is shown, at both sizes, without anything being read.
func TestHomeScreens(t *testing.T) {
	for name, keys := range map[string]string{
		"home": "", "home-client": "z", "home-folded": "k enter", "home-nothing": "/ i s : l i v e enter",
	} {
		screens(t, name, func(t *testing.T, w, h int) *driver {
			d := drive(t, summarised(), Options{Library: true}, w, h)
			d.press(strings.Fields(keys)...)
			return d
		})
	}
}

// TestHomeIsTheFirst: with recordings to choose from nothing opens by itself, and
// enter, esc lead there and back to the same row.
func TestHomeIsTheFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := summarised()
		d := drive(t, s, Options{Library: true}, 120, 36)
		d.want("5 recorded", "1 failing", "▌○ my-agent 1.4", "✗ session id left out", "▌○ unread", "read 3 of 4")
		d.want("✗ operating", `read      path="a"`)
		d.press("j")
		d.want("─ cursor 1.4 → workbench 2.1.0 ─")
		d.press("enter")
		d.want("files-server ▸ messages", "15 exchanges")
		d.press("esc")
		d.want("─ Sessions ─", "─ cursor 1.4 → workbench 2.1.0 ─")
		if len(d.m.recs) != 4 || d.m.rec("c").Opened {
			t.Error("more was read than was opened")
		}
	})
}

// TestHomeFilter: words for sessions, the caret under a mistake, a chip in the
// frame, and what there is when nothing matches.
func TestHomeFilter(t *testing.T) {
	for text, want := range map[string]string{
		"is:failing":                 "my-agent",
		"is:error -is:failing":       "cron-bot 1",
		"client:cursor":              "cursor",
		"server:workbench tool:read": "my-agent cursor cron-bot 1 cron-bot 2",
		"tool:read_my-agent":         "my-agent",
		"rule:any":                   "my-agent",
		"rule:echoed or session:77b": "my-agent cron-bot 2",
		"since:today":                "my-agent cursor",
		"since:5m":                   "my-agent cursor",
		"since:yesterday not is:ok":  "my-agent unread",
		"recording:gateway":          "cron-bot 1 cron-bot 2",
		"sent back":                  "my-agent",
		"files":                      "my-agent cursor",
	} {
		synctest.Test(t, func(t *testing.T) {
			d := drive(t, summarised(), Options{Library: true}, 120, 36)
			d.press("/")
			d.typed(text)
			d.press("enter")
			d.want("/" + text)
			var got []string
			for _, name := range []string{"my-agent", "cursor", "cron-bot 1", "cron-bot 2", "unread"} {
				if strings.Contains(strings.ReplaceAll(d.screen(), "▌✗", "▌○"), "▌○ "+name) {
					got = append(got, name)
				}
			}
			if g := strings.Join(got, " "); g != want {
				t.Errorf("%s: %s, want %s\n%s", text, g, want, d.screen())
			}
			d.press("esc")
			d.want("my-agent", "unread")
		})
	}
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, summarised(), Options{Library: true}, 120, 36)
		d.press("/")
		d.want("is:failing  client:cursor")
		d.typed("is:broken")
		d.want("▲ is: failing error ok live ended replay")
		d.press("ctrl+u")
		d.typed("client:cr")
		d.want(`client:"cron-bot 1.4"`)
		d.press("tab", "enter")
		d.want("cron-bot 1", `/client:"cron-bot 1.4" 2 of 5`)
		d.press("/", "ctrl+u")
		d.typed("nobody")
		d.press("enter")
		d.want("No session matches /nobody", "esc shows all")
		d.press("j", "enter", "R", "!", "d", "N", "D", "h", "z", "o", "esc")
		d.want("my-agent")
	})
}

// TestHomeReplay: the row of a replay says what came of it, and not only what the
// server still does wrong.
func TestHomeReplay(t *testing.T) {
	for want, o := range map[string]replay.Tally{
		"✓ 2 fixed, 19 changed": {Fixed: 2, Changed: 19, Same: 1},
		"✗ 1 broken, 4 changed": {Broken: 1, Changed: 4},
		"✓ all 22 same":         {Same: 22},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeSource()
			s.ch <- Batch{Recordings: []Recording{{ID: "r", Label: "replay of a: node", Tap: "stdio", Started: started()}}}
			sum := &summary.Recording{Total: 1, Replays: "a", Sessions: summary.Sessions{aSession("ide", 22, 0)}}
			s.ch <- Batch{Summaries: map[string]*summary.Recording{"r": sum}}
			d := drive(t, s, Options{Library: true}, 120, 36)
			d.m.noteOutcome(replaying.Outcome{Recording: "r", Tally: o})
			d.send(tea.WindowSizeMsg{Width: 120, Height: 36})
			d.want("↻ ide replay 1.4", want)
		})
	}
}

// viewed is a source that is told what is on the screen.
type viewed struct {
	*fakeSource
	first []string
}

func (v *viewed) First(ids []string) { v.first = ids }

// TestHomeSaysWhatIsOnTheScreen: the recordings that somebody sees are summed up
// first, and until then their rows say who talks to whom.
func TestHomeSaysWhatIsOnTheScreen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeSource()
		var recs []Recording
		for i := range 100 {
			recs = append(recs, Recording{ID: fmt.Sprint("r", i), Label: "x", Tap: "stdio", Started: started().Add(-time.Duration(i) * time.Minute)})
		}
		s.ch <- Batch{Recordings: recs}
		v := &viewed{fakeSource: s}
		d := drive(t, v, Options{Library: true}, 120, 36)
		if n := len(v.first); n < 10 || n > 36 || v.first[0] != "r0" {
			t.Errorf("at the top: %v", v.first)
		}
		d.press("G", "g", "G")
		if n := len(v.first); n < 10 || v.first[n-1] != "r99" {
			t.Errorf("at the end: %v", v.first)
		}
		s.ch <- Batch{Summaries: map[string]*summary.Recording{
			"r99": {Total: 1, Sessions: summary.Sessions{aSession("ide", 3, 0)}},
		}}
		d.send()
		d.want("read 1 of 100")
		if n := len(v.first); v.first[n-1] != "r98" {
			t.Errorf("with one that is read: %v", v.first)
		}
	})
}

// TestHomeOrder: the newest are first, z groups by something else, a heading folds its sessions.
func TestHomeOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, summarised(), Options{Library: true}, 120, 36)
		order := func(want ...string) {
			t.Helper()
			at, s := 0, d.screen()
			for _, w := range want {
				i := strings.Index(s[at:], w)
				if i < 0 {
					t.Fatalf("%q does not follow in:\n%s", w, s)
				}
				at += i + len(w)
			}
		}
		order("TODAY", "my-agent", "cursor", "YESTERDAY", "cron-bot 1", "cron-bot 2", "unread")
		d.press("z")
		d.want("group client")
		order("my-agent ─", "cursor ─", "cron-bot ─", "unread ─")
		d.press("z", "z", "g", "h")
		order("▸ TODAY 2 sessions ✗ 1 failing", "YESTERDAY", "cron-bot 1")
		d.wantNot("▌○ my-agent")
		d.press("l")
		order("TODAY", "my-agent")
	})
}

// TestHomeKeepsTheSelection: while summaries come in the selection stays on its
// session, and where it stands.
func TestHomeKeepsTheSelection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeSource()
		var recs []Recording
		for i := range 100 {
			at := started().Add(-time.Duration(i) * time.Minute)
			recs = append(recs, Recording{ID: fmt.Sprint("r", i), Label: fmt.Sprint("rec-", i), Tap: "stdio", Started: at})
		}
		s.ch <- Batch{Recordings: recs}
		d := drive(t, s, Options{Library: true}, 120, 36)
		for range 60 {
			d.press("j")
		}
		line := func() (int, string) {
			for i, l := range strings.Split(d.screen(), "\n") {
				if strings.Contains(l, "rec-60 ") {
					return i, l
				}
			}
			return -1, ""
		}
		at, _ := line()
		for i := range 40 {
			one := aSession("agent", 3, 0)
			s.ch <- Batch{Summaries: map[string]*summary.Recording{
				fmt.Sprint("r", i): {Total: 2, Sessions: summary.Sessions{one, second(one)}},
			}}
			d.send()
		}
		if now, l := line(); now != at || d.m.home.Scope().Rec.ID != "r60" {
			t.Errorf("the selection went from line %d to %d: %s %s", at, now, d.m.home.Scope().Rec.ID, l)
		}
		d.want("read 40 of 100")
	})
}

// TestHomeNews: sessions that begin while somebody looks come at the end of those
// that live, and are counted until they were seen.
func TestHomeNews(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := having(Recording{ID: "h", Label: "pages", Tap: "http", Where: "127.0.0.1:7 → x", Live: true}, sessionFrames(60))
		d := drive(t, s, Options{}, 120, 36)
		d.press("1", "g", "j")
		d.want("● 60 live", "desk 1")
		d.wantNot(" new ")
		more := sessionFrames(62)
		s.ch <- Batch{Frames: tagged("h", more[len(sessionFrames(60)):])}
		d.send()
		d.want("2 new", "● 62 live")
		if i := d.m.home.Scope().Session; i != 0 {
			t.Errorf("session %d is selected", i)
		}
		d.press("G")
		d.want("desk 62")
		d.press("g")
		d.wantNot(" new ")
	})
}

// TestHomeNamesOfTheUnread: what the user called a session shows without its
// recording being read.
func TestHomeNamesOfTheUnread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newNotebook()
		d := drive(t, summarised(), Options{Library: true, Notebook: b}, 120, 36)
		d.press("j", "j", "j", "j", "N")
		d.typed("night run")
		d.press("enter")
		d.want("▌○ night run ")
		if d.m.rec("c").Opened || b.kept["c"] == nil {
			t.Error("it was read, or the name is not kept")
		}
	})
}

// TestHomeActsOnTheSelected: what is compared and replayed is the selected session
// of a recording that was not read.
func TestHomeActsOnTheSelected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeReplayer()
		d := drive(t, summarised(), Options{Library: true, Replayer: f}, 120, 36)
		d.press("j", "j", "j", "d")
		d.want("▌○ d cron-bot 1", "d compare with")
		d.press("j", "d")
		d.moment()
		if c := f.compared; len(c) != 1 || c[0][0].Recording != "c" || c[0][0].Session != 0 || c[0][1].Session != 1 {
			t.Errorf("%+v", c)
		}
		d.want("compared with")
		d.press("esc")
		d.want("─ Sessions ─")
	})
}

// TestHomeHostile: what clients and recordings call themselves reaches the terminal
// as it is safe, and rows keep their width, which the driver checks.
func TestHomeHostile(t *testing.T) {
	for _, size := range sizes.layout {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeSource()
			one := aSession(poison, 1<<30, 1<<30, summary.Finding{Rule: poison, Title: poison, Severity: diagnose.Error, Times: 1})
			one.ID, one.Why, one.Server.Name, one.Server.Version = poison, poison, poison, poison
			one.ProtocolVersion, one.P95 = "2025-06-18\x1b[31m", 1<<62
			one.Steps[0].Name, one.Steps[0].Note = poison, poison
			one.Rows[0].Method, one.Rows[0].Target, one.Rows[0].Result = poison, poison, poison
			s.ch <- Batch{Recordings: []Recording{
				{ID: "a", Label: poison, Tap: "stdio", Where: poison, Flow: poison, Started: started()},
				{ID: "b", Label: poison, Tap: poison, Where: poison, Trouble: poison},
			}}
			s.ch <- Batch{Summaries: map[string]*summary.Recording{"a": {Total: 1, Sessions: summary.Sessions{one}}}}
			d := drive(t, s, Options{Library: true}, size[0], size[1])
			for _, k := range []string{"j", "k", "z", "z", "z", "z", "o", "o", "o", "o", "/", "r", "ctrl+u", "c", "tab", "esc", "G", "N", "esc", "D", "y", "x"} {
				d.press(k)
				if strings.Contains(d.m.View().Content, "\x1b[31m") || strings.Contains(d.m.View().Content, "\x07") {
					t.Fatalf("after %s something gets through:\n%s", k, d.colours())
				}
			}
		})
	}
}
