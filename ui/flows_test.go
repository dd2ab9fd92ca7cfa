package ui

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"midwire/session/diagnose"
	"midwire/session/diagnose/rules"
	"midwire/session/notes"
	"midwire/ui/internal/scenes"
	"midwire/ui/library"
)

// fakeComparer finds the same in the recording "front" whenever it is compared.
type fakeComparer struct {
	asked []string
	count int
	err   error
}

func (c *fakeComparer) Compare(_ context.Context, recs []string) (map[string][]*diagnose.Finding, error) {
	slices.Sort(recs)
	c.asked = append(c.asked, strings.Join(recs, " "))
	rule := rules.Find("gateway-meta-dropped")
	f := &diagnose.Finding{
		Rule: rule, Severity: rule.Severity, Side: rule.Side, Cause: rule.Help().Cause, Remedies: rule.Help().Remedies,
		Frames: []uint64{4}, Message: "The gateway drops a member.", Count: 1 + c.count,
	}
	return map[string][]*diagnose.Finding{"front": {f}}, c.err
}

// passing is a source with two recordings of a flow.
func passing(live bool) *fakeSource {
	s := newFakeSource()
	one := func(id, flow string, begins time.Duration) {
		s.recs[id] = scenes.Stdio()
		r := Recording{
			ID: id, Label: id, Tap: "stdio", Flow: flow, Live: live, Started: started().Add(begins),
			Changed: started().Add(begins + time.Minute),
		}
		b := Batch{Recordings: []Recording{r}}
		if live {
			b.Frames = tagged(id, s.recs[id])
		}
		s.ch <- b
	}
	one("front", "shop", 0)
	one("behind", "shop", time.Second)
	one("earlier", "shop", -time.Hour)
	one("other", "", 0)
	return s
}

// TestBothSidesOfAGateway: what only a comparison shows appears by itself, with
// the message that it is about, and is compared again when there is more.
func TestBothSidesOfAGateway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := passing(true), &fakeComparer{}
		d := drive(t, s, Options{Comparer: c, rules: []*diagnose.Rule{}}, 120, 36)
		time.Sleep(2 * time.Second) // of the bubble
		d.send()
		if want := []string{"behind front", "behind earlier front"}; !slices.Equal(c.asked, want) {
			t.Fatalf("compared: %q, want %q", c.asked, want)
		}
		time.Sleep(2 * time.Second)
		d.send()
		front := d.m.rec("front")
		if front.Findings.Total[diagnose.Error] != 1 || len(front.Findings.OfRow(front.RowAt(4))) != 1 {
			t.Fatalf("the finding is not with its message: %+v", front.Findings)
		}
		was := front.Findings.All[len(front.Findings.All)-1]
		d.press("!")
		d.press("s", "s") // all recordings
		d.want("drops members of _meta")
		c.count = 1
		more := scenes.Stdio()
		last := more[len(more)-1]
		last.N, last.T = last.N+1, last.T+1
		s.ch <- Batch{Frames: tagged("behind", append(more[:0], last))}
		d.send()
		if len(c.asked) != 3 || was.Count != 2 {
			t.Errorf("compared %d times; the finding was seen %d times", len(c.asked), was.Count)
		}
		time.Sleep(time.Minute)
		d.send()
		if len(c.asked) != 3 {
			t.Error("it is compared again without news")
		}
	})
}

// TestOtherSideOfThePast: who opens one recording of a flow has the others of
// that time read too, and no more.
func TestOtherSideOfThePast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &fakeComparer{}
		s := passing(false)
		d := drive(t, s, Options{Comparer: c, rules: []*diagnose.Rule{}}, 120, 36)
		if len(c.asked) > 0 {
			t.Fatalf("compared before anything was opened: %q", c.asked)
		}
		d.openRec("behind")
		s.ch <- Batch{Loading: map[string]float64{"behind": 1, "front": 1}}
		d.send()
		if want := []string{"behind front"}; !slices.Equal(c.asked, want) {
			t.Fatalf("compared: %q, want %q", c.asked, want)
		}
		if d.m.rec("earlier").Opened || d.m.rec("other").Opened {
			t.Error("more was read than belongs to it")
		}
		d.press("b")
		d.want("✗")
		d.press("esc", "!")
		d.want("1 finding in other recordings")
	})
}

// TestOpenedTogether: two recordings that were named are compared without a
// flow. What cannot be compared is said once.
func TestOpenedTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeSource()
		for _, id := range []string{"front", "behind"} {
			s.give(Recording{ID: id, Label: id, Tap: "stdio", Live: true}, scenes.Stdio())
		}
		c := &fakeComparer{err: errors.New("too long to compare here")}
		d := drive(t, s, Options{Comparer: c, Pair: true}, 120, 36)
		d.want("too long to compare here")
		time.Sleep(time.Minute)
		d.press("j")
		if len(c.asked) != 1 {
			t.Errorf("compared: %q", c.asked)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		c := &fakeComparer{}
		drive(t, lively(), Options{Comparer: c, rules: []*diagnose.Rule{}}, 120, 36)
		if len(c.asked) > 0 {
			t.Errorf("compared without a flow: %q", c.asked)
		}
	})
}

// openRec opens a recording as its row on the start screen does.
func (d *driver) openRec(id string) {
	d.t.Helper()
	d.press("1")
	d.m.home.Show(library.Scope{Rec: d.m.rec(id), Session: library.AllSessions})
	if d.m.home.Scope().Rec != d.m.rec(id) {
		d.t.Fatalf("%s has no row", id)
	}
	d.press("enter")
}

// fiveServers are the recordings of a client's five stdio servers.
func fiveServers() *fakeSource {
	s := newFakeSource()
	for i := range scenes.Servers() {
		s.give(Recording{
			ID: "server" + strconv.Itoa(i), Label: "python3", Tap: "stdio", Where: "/usr/bin/python3 server.py", Live: true,
		}, scenes.Server(i))
	}
	return s
}

// Five servers of a client are one list, and what is done there is done where
// the message really is.
func TestAllLiveInOneList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, by := &fakeExporter{}, newNotebook()
		d := drive(t, fiveServers(), Options{Exporter: f, Notebook: by, Replayer: newFakeReplayer()}, 120, 36)
		d.press("1", "g")
		d.want("files-server", "git-server", "calendar")
		d.wantNot("python3 stdio")
		d.want("enter all in one list")
		d.press("enter")
		golden(t, "merged-120x36", d.screen())
		d.want("5 live proxies ▸ messages")
		d.press("s")
		d.want("git-server", "servers", "├── blame path=")
		d.press("t")
		d.want("blame of git-server", "forecast of weather")
		d.press("j", "enter")
		d.want("tool=blame session:2", "3 of 30")
		d.press("esc", "esc", "/")
		d.typed("server:git tool:blame")
		d.press("enter", "G", "k")
		d.want("Method not found", "git-server   server1, its frame #7")
		d.press("m", "y", "m")
		if want := "replay server1 0"; f.last() != want {
			t.Errorf("%q was asked for, want %q", f.last(), want)
		}
		d.press("x", "h")
		if want := "export server1 0 html"; f.last() != want {
			t.Errorf("%q was exported, want %q", f.last(), want)
		}
		if r := d.m.rec("server1"); !r.HasNotes(notes.Mark) || r.Notes.Text(notes.Key{Kind: notes.Mark, Frame: 7}) == "" {
			t.Error("the mark is not in the recording of the message")
		}
		d.press("R")
		d.want("git-server")
		d.press("esc", "esc", "!")
		d.want("5 live proxies ▸ findings", "#32  tools/call", "#35  response")
		d.press("y")
		d.want("explanation")
		d.press("j", "enter")
		d.want("▌i  32", "git-server   server1, its frame #7")
	})
}

// A proxy that starts joins all that live, one that ends leaves its messages.
func TestProxyJoinsAllLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeSource()
		give := func(i int, live bool) {
			s.give(Recording{ID: strconv.Itoa(i), Label: "npx", Tap: "stdio", Live: live}, scenes.Server(i))
		}
		give(0, true)
		d := drive(t, s, Options{}, 120, 36)
		d.press(":")
		d.typed("merge")
		d.want("show all live proxies in one list")
		d.press("enter")
		d.want("fewer than two proxies are live")
		give(1, true)
		d.send(nil)
		d.press(":")
		d.typed("merge")
		d.press("enter")
		d.want("2 live proxies ▸ messages")
		give(2, true)
		d.send(nil)
		d.want("3 live proxies ▸ messages")
		give(0, false)
		d.send(nil)
		d.want("3 proxies, 2 live ▸ messages")
	})
}

// Past recordings that were looked for are one list, and so are all where they
// are few.
func TestFoundInOneList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := pastOnly()
		s.recs["a"], s.recs["b"] = scenes.Server(0), scenes.Server(1)
		d := drive(t, s, Options{}, 120, 36)
		d.press("1", "/")
		d.typed("demo stdio")
		d.press("enter", "g")
		d.want("2 of 4", "enter shows all 2 in one list")
		d.press("enter")
		d.want("2 recordings ▸ messages", "search_files", "blame")
		d.press(":")
		d.typed("merge")
		d.want("show the listed recordings in one list")
	})
}
