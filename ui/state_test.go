package ui

import (
	"maps"
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
		wider := d.m.layoutOptions.Wider
		if wider == 0 {
			t.Error("the list is no wider")
		}
		d = drive(t, lively(), Options{State: kept}, 120, 36)
		d.m.recall(kept.Load())
		d.send()
		if d.m.layoutOptions.Detail != layout.Right || d.m.time != term.ClockTime {
			t.Error("the detail pane stands elsewhere, or the time is another")
		}
		if d.m.layoutOptions.Wider != wider {
			t.Errorf("%d wider", d.m.layoutOptions.Wider)
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

// TestFiltersAreNotRemembered: tomorrow's sessions are all shown; what filtered is in
// the history of the line.
func TestFiltersAreNotRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept := stateMemory{"filter": "is:error", "sessions-filter": "client:cursor"}
		m := New(summarised(), Options{State: kept, Library: true, Now: fixedNow, rules: testRules()})
		m.recall(kept.Load())
		if m.filter.Text() != "" || m.home.Line.Text() != "" {
			t.Errorf("%q %q", m.filter.Text(), m.home.Line.Text())
		}
	})
}
