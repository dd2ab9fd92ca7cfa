package ui

import (
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"

	"midwire/session/defect"
	"midwire/session/diagnose"
	"midwire/session/diagnose/rules"
	"midwire/session/wire"
	"midwire/ui/guard"
	"midwire/ui/library"
	"midwire/ui/view"
)

// brokenView is a view with a defect.
type brokenView struct {
	view.View
	refresh, draw bool
}

func (v *brokenView) Refresh(h view.Host) tea.Cmd {
	if v.refresh {
		panic("a view that lost its way")
	}
	return v.View.Refresh(h)
}

func (v *brokenView) Draw(h view.Host, sc *library.Scene, w, height int) []string {
	if v.draw {
		panic("a view that lost its way")
	}
	return v.View.Draw(h, sc, w, height)
}

// brokenSource cannot give the frames that the detail pane asks for.
type brokenSource struct{ *fakeSource }

func (brokenSource) Frame(string, uint64) (wire.Frame, error) { panic("a source that lost its way") }

// TestDefects: whatever part of the screen panics, the rest is there, says so, and
// goes on taking keys and messages; the defect is handed on once.
func TestDefects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var kept []string
		opts := Options{Defect: func(d *defect.Defect) { kept = append(kept, d.Unit) }, Now: fixedNow}
		d := drive(t, lively(), opts, 120, 36)
		d.want("prompts/get")

		d.press("w")
		d.m.view = &brokenView{View: d.m.view, draw: true}
		d.m.dirty = true
		d.want("midwire has a defect", "cannot be drawn", "defects.txt")
		d.press("j", "k")
		d.want("cannot be drawn")
		d.press("esc")
		d.want("prompts/get")
		d.wantNot("cannot be drawn")

		d.press("w")
		d.m.view = &brokenView{View: d.m.view, refresh: true}
		d.press("j") // it is left
		d.want("prompts/get")

		d.send(tea.KeyPressMsg{}, guard.Msg{Defect: &defect.Defect{Unit: "a command", What: "x"}})
		if all := strings.Join(kept, "; "); strings.Count(all, "the view") == 0 || strings.Count(all, "a command") != 1 || len(kept) > 6 {
			t.Errorf("kept: %s", all)
		}
	})
}

func TestDefectOfACommand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var kept []string
		opts := Options{Defect: func(d *defect.Defect) { kept = append(kept, d.Unit) }, Now: fixedNow}
		d := drive(t, brokenSource{lively()}, opts, 120, 36)
		d.press("j", "k")
		d.want("prompts/get")
		if len(kept) == 0 || len(kept) > 4 || kept[0] != "a command of the screen" {
			t.Errorf("kept: %s", kept)
		}
	})
}

func TestDefectOfARule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		list := rules.All()
		for i, r := range list {
			if r.ID == "name-not-listed" {
				list[i] = &diagnose.Rule{ID: r.ID, On: diagnose.Requests, Severity: diagnose.Error, Check: func(*diagnose.Case) { panic("broken") }}
			}
		}
		d := drive(t, lively(), Options{Now: fixedNow, rules: list}, 120, 36)
		d.press("!")
		d.want("midwire itself has a defect")
	})
}
