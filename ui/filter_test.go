package ui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/session/wire"
	"midwire/ui/query"
)

// filterShelf is a filter.Keeper in memory.
type filterShelf struct {
	used []string
	fail error
}

func (s *filterShelf) Load() ([]string, error) { return s.used, s.fail }

func (s *filterShelf) Use(filter string) error {
	s.used = append(s.used, filter)
	return s.fail
}

func (d *driver) filtered(text string) {
	d.t.Helper()
	d.press("/")
	d.m.keepOnly("")
	d.send(tea.PasteMsg{Content: text})
	d.pass(time.Second)
	d.press("enter")
}

func TestWriteAFilterWithCompletion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 120, 36)
		d.press("/")
		d.want("tab complete", "is:error  lat>500ms")
		d.press("tab")
		d.want("/ method:", "tool:  is:")
		for range len("method:") {
			d.press("backspace")
		}
		d.typed("to")
		d.want("tool:")
		d.wantNot("method:")
		d.press("tab")
		d.want("/ tool:", "tool:delete_file", "tool:index_repo", "tool:search_files")
		d.typed("se")
		d.wantNot("tool:index_repo")
		d.press("tab")
		d.want("/ tool:search_files", "1 of 17 match")
		d.press("space", "o", "r", "space", "i", "s", ":", "tab")
		d.want("or is:ok", "is:error")
		d.press("tab", "tab", "shift+tab", "enter")
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
		d.want("client:\"claude-code 2.1\"")
		d.press("tab")
		d.want(`/ !client:"claude-code 2.1" is:ok`, "0 of 17")
		d.press("esc", "/")
		d.typed("after:10")
		d.want("needs a unit: after:10s", "tab fixes it")
		d.press("tab")
		d.want("/ after:10s")
	})
}

// TestEarlierFilters: up and down go through them as in a shell; what was typed, they
// hold.
func TestEarlierFilters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		keeper := &filterShelf{used: []string{"method:ping"}}
		d := drive(t, lively(), Options{Filters: keeper}, 120, 36)
		d.filtered("is:error")
		d.filtered("kind:noise")
		d.press("esc", "/", "up")
		d.want("/ kind:noise", "1 of 17 match")
		d.press("up")
		d.want("/ is:error", "3 of 17 match")
		d.press("up", "up", "down", "ctrl+r")
		d.want("/ method:ping")
		d.press("esc")
		d.want("15 exchanges")
		d.press("/")
		d.typed("err")
		d.press("up", "up")
		d.want("/ is:error", "3 of 17")
		d.press("down")
		d.want("/ err")
		d.press("up", "enter")
		d.want("/is:error", "3 of 17")
		if got := strings.Join(keeper.used, ","); got != "method:ping,is:error,kind:noise,is:error" {
			t.Errorf("kept: %s", got)
		}
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
		d.want("/ is:ok")
		d.press("up")
		d.want("/ is:error")
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
	q, err := query.Read("jq:'def f: f; f'")
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
	keeper := &filterShelf{used: []string{"is:error", "tool:search_files"}}
	for name, keys := range map[string]string{
		"complete-keys": "/", "complete-values": "/ t o o l : tab", "complete-earlier": "/ up", "complete-fault": "/ k i n d : c a l l space l a t > 5",
	} {
		screens(t, name, func(t *testing.T, w, h int) *driver {
			d := drive(t, lively(), Options{Filters: keeper}, w, h)
			d.press(strings.Fields(keys)...)
			return d
		})
	}
}

// TestHostileCompletion: what a peer names its tools cannot harm the terminal
// from the line of the filter and the palette either.
func TestHostileCompletion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := having(Recording{ID: "a", Label: poison, Tap: "stdio", Where: poison, Live: true}, hostile())
		s.give(Recording{ID: "b", Label: poison, Tap: "http", Where: poison, Live: true}, hostileHTTP())
		keeper := &filterShelf{used: []string{poison}}
		d := drive(t, s, Options{rules: poisoned(), Filters: keeper}, 100, 24)
		for _, keys := range []string{
			"/ t o o l : tab tab esc", "/ m e t h o d : tab tab tab enter esc", "/ c l i e n t : tab esc", "/ up up enter esc", "/ f i n d i n g : tab enter esc",
			"/ s e s s i o n : tab enter esc", "/ j q : . x enter esc", ": s e s s i o n space down enter", ": f i l t e r space x enter", "? A esc", "/ f o o : A esc",
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
