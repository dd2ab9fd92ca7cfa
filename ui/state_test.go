package ui

import (
	"maps"
	"slices"
	"testing"
	"testing/synctest"

	"midwire/ui/layout"
	"midwire/ui/term"
)

type stateMemory map[string]string

func (s stateMemory) Load() map[string]string { return maps.Clone(s) }

func (s stateMemory) Keep(all map[string]string) error {
	maps.Copy(s, all)
	return nil
}

// TestStateIsRemembered: the screen comes back as it was left; a configuration says
// more, and what is not known is passed over.
func TestStateIsRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept := stateMemory{"later": "stays"}
		d := drive(t, lively(), Options{State: kept}, 120, 36)
		err := d.m.remembered(func() error {
			d.press("P", "T", ">", "C", "space", "enter")
			return nil
		})
		if err != nil || kept["detail"] != "right" || kept["time"] != "clock" || kept["later"] != "stays" {
			t.Errorf("%v %v", kept, err)
		}
		columns, wider := d.m.list.Extra.Names(), d.m.layoutOptions.Wider
		if len(columns) == 0 || wider == 0 {
			t.Errorf("columns %v, %d wider", columns, wider)
		}
		d = drive(t, lively(), Options{State: kept}, 120, 36)
		d.m.recall(kept.Load())
		d.send()
		if d.m.layoutOptions.Detail != layout.Right || d.m.time != term.ClockTime {
			t.Error("the detail pane stands elsewhere, or the time is another")
		}
		if !slices.Equal(d.m.list.Extra.Names(), columns) || d.m.layoutOptions.Wider != wider {
			t.Errorf("columns %v, %d wider", d.m.list.Extra.Names(), d.m.layoutOptions.Wider)
		}
		d = drive(t, lively(), Options{State: kept, Settings: Settings{Detail: "below", Time: "start"}}, 120, 36)
		d.m.recall(kept.Load())
		d.send()
		if d.m.layoutOptions.Detail != layout.Below || d.m.time != term.SinceStart {
			t.Error("what the configuration says counts less")
		}
		d.m.recall(map[string]string{"detail": "left", "time": "", "theme": "neon", "columns": "none size", "sizes": "x"})
	})
}

// TestFiltersAreRemembered: what filtered messages and sessions does so the next time;
// one that is no filter any more keeps nothing back.
func TestFiltersAreRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept := stateMemory{}
		d := drive(t, summarised(), Options{State: kept, Library: true}, 120, 36)
		if err := d.m.remembered(func() error {
			d.press("/")
			d.typed("client:cursor")
			d.press("enter", "enter", "/")
			d.typed("is:error")
			d.press("enter")
			return nil
		}); err != nil || kept["filter"] != "is:error" || kept["sessions-filter"] != "client:cursor" {
			t.Fatalf("%v %v", kept, err)
		}
		m := New(summarised(), Options{State: kept, Library: true, Now: fixedNow, rules: testRules()})
		m.recall(kept.Load())
		if m.filter.Text() != "is:error" || m.filter.Query() == nil || m.home.Line.Text() != "client:cursor" {
			t.Errorf("%q %q", m.filter.Text(), m.home.Line.Text())
		}
		m.recall(map[string]string{"filter": "lat>", "sessions-filter": "since:("})
		if m.filter.Text() != "" || m.home.Line.Text() != "" {
			t.Errorf("%q %q", m.filter.Text(), m.home.Line.Text())
		}
	})
}
