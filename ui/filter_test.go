package ui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/session/wire"
	"midwire/ui/filter"
	"midwire/ui/query"
)

// shelf is a filter.Keeper in memory.
type filterShelf struct {
	used  []string
	saved map[string]string
	fail  error
}

func (s *filterShelf) Load() ([]string, map[string]string, error) { return s.used, s.saved, s.fail }

func (s *filterShelf) Use(filter string) error {
	s.used = append(s.used, filter)
	return s.fail
}

func (s *filterShelf) Save(name, filter string) error {
	if delete(s.saved, name); filter != "" {
		s.saved[name] = filter
	}
	return s.fail
}

func (s *filterShelf) Forget(filter string) error {
	s.used = slices.DeleteFunc(s.used, func(u string) bool { return u == filter })
	return s.fail
}

func (d *driver) filtered(text string) {
	d.t.Helper()
	d.press("/")
	d.m.filter.write(d.m, "")
	d.send(tea.PasteMsg{Content: text})
	d.pass(time.Second)
	d.press("enter")
}

func TestWriteAFilterWithCompletion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 120, 36)
		d.press("/")
		d.want("method:", "the method", "tool:", "more")
		d.typed("to")
		d.want("tool:      the tool of a call", "method:tools/call  ", "method:tools/list  ")
		d.press("tab")
		d.want("/ tool:", "tool:delete_file", "tool:index_repo", "tool:search_files")
		d.typed("se")
		d.wantNot("tool:index_repo")
		d.press("tab")
		d.want("/ tool:search_files", "1 of 17 match")
		d.wantNot("┌")
		d.press("space", "o", "r", "space", "i", "s", ":", "down")
		d.want("▌is:ok", "is:error")
		d.press("down", "enter")
		d.want("/tool:search_files or is:error", "4 of 17")
		if d.m.entry != nil {
			t.Error("enter does not keep the filter")
		}
	})
}

func TestCompletionQuotesAndReplaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 120, 36)
		d.press("/")
		d.typed("!client:cl is:ok")
		for range len(" is:ok") {
			d.press("left")
		}
		d.want("client:\"claude-code 2.1\"", "17")
		d.press("tab")
		d.want(`/ !client:"claude-code 2.1" is:ok`, "0 of 17")
		d.press("esc", "/")
		d.typed("after:10")
		d.want("needs a unit: after:10s", "tab fixes it")
		d.press("tab")
		d.want("/ after:10s")
	})
}

func TestCompletionByMouse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 80, 24)
		d.press("/")
		d.typed("is:")
		lines := strings.Split(d.screen(), "\n")
		y := slices.IndexFunc(lines, func(s string) bool { return strings.Contains(s, "is:error") })
		d.send(tea.MouseClickMsg{X: 8, Y: y, Button: tea.MouseLeft})
		d.want("/ is:error", "3 of 17 match")
	})
}

// TestCountsOfALongRecording: what is counted comes in pieces, and what comes
// later is counted too.
func TestCountsOfALongRecording(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, d := stack(t, 30_000)
		d.press("/")
		d.typed("tool:")
		d.want("tool:read", "30 000 │")
		s.ch <- Batch{Frames: tagged("p", late(s, "x"))}
		d.send()
		d.want("30 001 │")
		d.press("down")
		d.update(filter.CountMsg{})
		d.want("▌tool:read")
	})
}

func TestEarlierFilters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		keeper := &filterShelf{saved: map[string]string{"slow": "lat>300ms"}, used: []string{"method:ping"}}
		d := drive(t, lively(), Options{Filters: keeper}, 120, 36)
		d.filtered("is:error")
		d.filtered("kind:noise")
		d.press("esc", "/", "up")
		d.want("earlier filters", "@slow      lat>300ms", "method:ping", "is:error", "▌kind:noise", "1 of 17 match")
		d.press("up")
		d.want("▌is:error", "/ is:error", "3 of 17 match")
		d.press("esc")
		d.want("17 exchanges")
		d.press("/", "ctrl+r", "up", "up", "ctrl+x")
		d.wantNot("method:ping")
		d.press("esc", "/", "up", "up", "up", "enter")
		d.want("/@slow", "2 of 17")
		if got := strings.Join(keeper.used, ","); got != "is:error,kind:noise,@slow" {
			t.Errorf("kept: %s", got)
		}
	})
}

func TestSaveAFilter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		keeper := &filterShelf{saved: map[string]string{}}
		d := drive(t, lively(), Options{Filters: keeper}, 120, 36)
		d.press("/")
		d.typed("is:error or kind:noise")
		d.press("ctrl+s")
		d.want("save as @", "a name for is:error or kind:noise")
		d.typed("no good")
		d.press("enter")
		d.want("letters, digits")
		for range len("no good") {
			d.press("backspace")
		}
		d.typed("bad")
		d.press("enter")
		d.want("saved: @bad")
		if keeper.saved["bad"] != "is:error or kind:noise" {
			t.Fatalf("kept: %v", keeper.saved)
		}
		d = drive(t, lively(), Options{Filters: keeper}, 120, 36)
		d.press("/")
		d.typed("@b")
		d.want("@bad       is:error or kind:noise")
		d.press("tab")
		d.want("/ @bad", "4 of 17 match")
		d.typed(" method:tools")
		d.press("enter")
		d.want("2 of 17")
		d.press("/", "ctrl+s")
		d.typed("bad")
		d.press("enter")
		d.want("cannot stand for itself")
		if keeper.saved["bad"] != "is:error or kind:noise" {
			t.Errorf("overwritten: %v", keeper.saved)
		}
		d.press("esc", "esc")
		d.press("/")
		d.typed(" is:")
		d.press("ctrl+s")
		d.want("only a filter that is right")
	})
}

func TestFiltersThatCannotBeKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		keeper := &filterShelf{fail: errors.New("filters.json: permission denied")}
		d := drive(t, lively(), Options{Filters: keeper}, 120, 36)
		d.want("filters of earlier runs cannot be read: filters.json: permission denied")
		d.filtered("is:error")
		d.press("2", "esc")
		d.filtered("is:ok")
		if len(keeper.used) != 2 {
			t.Errorf("in this run: %v", keeper.used)
		}
		d.press("/", "up")
		d.want(" is:error  ", "▌is:ok")
	})
}

// TestFaultIsPointedAt: the caret stands below the place.
func TestFaultIsPointedAt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 120, 36)
		d.press("/")
		d.typed("method:tools/call and lat>500")
		lines := strings.Split(strings.TrimRight(d.screen(), "\n"), "\n")
		status, below := lines[len(lines)-2], lines[len(lines)-1]
		if at := strings.Index(status, "500"); []rune(below)[at] != '▲' {
			t.Errorf("the caret is elsewhere:\n%s\n%s", status, below)
		}
		d.want("needs a unit: lat>500ms", "3 of 17 match")
		d.press("enter")
		d.want("▲ needs a unit", "3 of 17 match")
		d.press("/", "m", "s")
		d.wantNot("▲ needs")
		d.want("0 of 17 match")
	})
}

func TestFilterLanguage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 120, 36)
		for _, tt := range []struct {
			query string
			want  int
		}{
			{"tool:search or tool:index", 2},
			{"(tool:search or tool:index) is:ok", 1},
			{"!(is:ok or is:error) kind:call", 1},
			{"tool=index", 0},
			{"tool=INDEX_REPO", 1},
			{"tool~^(index|delete)_", 2},
			{"method~^tools/ is:ok", 2},
			{"/search_.*auth/", 1},
			{"~\"listChanged.:true\"", 1},
			{`jq:'.error.code == -32601'`, 1},
			{`jq:'.params.name? // "" | startswith("index")'`, 1},
			{`jq:.result.isError`, 1},
			{`!jq:.result kind:call`, 3},
			{"listchanged or kind:stderr", 2},
			{"text:listchanged", 1},
			{"status!=404 kind:call", 10},
			{"after:9.7s", 3},
			{"before:50ms kind:call", 2},
			{"time>=9.7s time<9.8s", 1},
			{"after:#21", 2},
			{"before:#5", 3},
			{"after:10:15:09", 4},
			{"server:files-server", 17},
			{"session:1", 17},
			{"mark:any", 0},
			{"mark:none", 17},
			{"rule:initialized-late", 1},
			{"header:mcp", 0},
			{"id:1", 1},
		} {
			d.press("esc", "2", "esc", "esc")
			d.filtered(tt.query)
			if n := len(d.m.list.Visible); n != tt.want || d.m.filter.Wrong() {
				t.Errorf("%s: %d rows, want %d; wrong: %v", tt.query, n, tt.want, d.m.filter.Wrong())
			}
		}
	})
}

func TestFilterHTTPHeads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 120, 36)
		d.press(":")
		d.typed("session pages")
		d.press("down", "enter")
		all := d.m.list.Total()
		for query, want := range map[string]int{
			"header:mcp-session-id=9f3c": 5, "header:mcp-method=tools/call": 3, "header:nowhere": 0, "http:GET": 0, "http:404": 1, "http~^POST": 12, "header~^mcp-.*2026": 3,
		} {
			d.press("esc", "2", "esc", "esc")
			d.filtered(query)
			if n := len(d.m.list.Visible); n != want {
				t.Errorf("%s: %d of %d rows, want %d", query, n, all, want)
			}
		}
	})
}

// TestJQTrouble: what a program cannot be asked is said, and does not match.
func TestJQTrouble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 120, 36)
		d.filtered("jq:'.params | keys | .[0] | .x'")
		d.want("! jq: keys cannot be applied to: null (24", "0 of 17 match")
	})
}

// TestJQCanBeStopped: a program without an end ends with its context, as it
// does with the next key. Outside of a bubble, where time goes on by itself.
func TestJQCanBeStopped(t *testing.T) {
	q, err := query.Read("jq:'def f: f; f'", nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	f := wire.Frame{Kind: wire.KindLine, Data: []byte("{}")}
	has, failed := q.Payloads[0].Match(ctx, &query.Payload{Frame: &f, Open: (*wire.Frame).Payload})
	if has || failed == nil || !strings.Contains(failed.Error(), "it takes longer than") {
		t.Errorf("%v %v", has, failed)
	}
}

func TestFilterIsSearchedAnewWhenAnAnswerComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, d := stack(t, 100)
		d.filtered(`jq:'.result.content[0].text | endswith("Needle")'`)
		d.want("1 of 100")
		s.ch <- Batch{Frames: tagged("p", late(s, "another Needle"))}
		d.send()
		d.pass(time.Second)
		d.want("2 of 101 match")
	})
}

func TestCompletionScreens(t *testing.T) {
	keeper := &filterShelf{saved: map[string]string{"slow": "lat>300ms or is:pending"}, used: []string{"is:error", "tool:search_files"}}
	for name, keys := range map[string]string{
		"complete-keys": "/", "complete-values": "/ t o o l : down", "complete-earlier": "/ up", "complete-fault": "/ k i n d : c a l l space l a t > 5",
		"complete-name": "/ i s : o k ctrl+s b",
	} {
		screens(t, name, func(t *testing.T, w, h int) *driver {
			d := drive(t, lively(), Options{Filters: keeper}, w, h)
			d.press(strings.Fields(keys)...)
			return d
		})
	}
}

func TestCompletionLooks(t *testing.T) {
	for name, opts := range map[string]Options{"light": {Theme: "light"}, "nocolor": {NoColor: true}, "ascii": {NoColor: true, ASCII: true}} {
		synctest.Test(t, func(t *testing.T) {
			d := drive(t, lively(), opts, 80, 24)
			d.press(strings.Fields("/ t o o l : down")...)
			golden(t, "look-complete-"+name, d.colours())
		})
	}
}

// TestHostileCompletion: what a peer names its tools cannot harm the terminal
// from the drop-down and the palette either.
func TestHostileCompletion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := having(Recording{ID: "a", Label: poison, Tap: "stdio", Where: poison, Live: true}, hostile())
		s.give(Recording{ID: "b", Label: poison, Tap: "http", Where: poison, Live: true}, hostileHTTP())
		keeper := &filterShelf{used: []string{poison}, saved: map[string]string{"x": poison, poison: "a"}, fail: nil}
		d := drive(t, s, Options{rules: poisoned(), Filters: keeper}, 100, 24)
		for _, keys := range []string{
			"/ t o o l : down tab esc", "/ m e t h o d : down down tab enter esc", "/ c l i e n t : tab esc", "/ up up enter esc", "/ @ x enter esc", "/ f i n d i n g : down enter esc",
			"/ s e s s i o n : down enter esc", "/ j q : . x enter esc", ": s e s s i o n space down enter", ": f i l t e r space @ x enter", "? A esc", "/ f o o : A ctrl+s esc",
		} {
			for k := range strings.FieldsSeq(keys) {
				d.press(k)
				clean(t, keys, d.m.View().Content)
			}
			d.send(tea.PasteMsg{Content: poison})
			clean(t, "paste", d.m.View().Content)
			d.press("esc", "esc")
		}
	})
}
