package ui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"midwire/session/diagnose"
	"midwire/session/diagnose/rules"
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
		d.want("1 of 2 tools/list was refused")
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
