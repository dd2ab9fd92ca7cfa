package ui

import (
	"bytes"
	"fmt"
	"image/color"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/session/wire"
	"midwire/ui/internal/scenes"
)

// TestRandomActions plays random actions over ordinary and hostile recordings: none
// crashes, none draws a wrong screen or lets a control character through, none never
// ends, and esc always leads out. A million of them:
//
//	MIDWIRE_ACTIONS=1000000 MIDWIRE_SEED=1000 go test ./ui -run RandomActions -timeout 0
func TestRandomActions(t *testing.T) {
	const each = 200
	all, first := 3200, uint64(0)
	if testing.Short() {
		all /= 4
	}
	if n, err := strconv.Atoi(os.Getenv("MIDWIRE_ACTIONS")); err == nil {
		all = n
	}
	if n, err := strconv.ParseUint(os.Getenv("MIDWIRE_SEED"), 10, 64); err == nil {
		first = n
	}
	for i := range all / each {
		playRandom(t, first+uint64(i), each)
	}
}

func FuzzActions(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { playRandom(t, seed, 80) })
}

// monkey plays random actions on a screen.
type monkey struct {
	*rand.Rand
	d    *driver
	s    *fakeSource
	keys []string
	rec  string       // grows
	rest []wire.Frame // of it
	log  []string
	n    int // keys, clicks and the like
}

func playRandom(t *testing.T, seed uint64, n int) {
	synctest.Test(t, func(t *testing.T) {
		k := &monkey{Rand: rand.New(rand.NewPCG(seed, 1)), keys: allKeys()}
		defer func() {
			if t.Failed() {
				t.Logf("seed %d, after %s", seed, strings.Join(k.log, " | "))
			}
		}()
		k.begin(t, seed)
		for k.n < n {
			if k.act(); t.Failed() {
				return
			}
			if k.IntN(8) == 0 {
				v := k.d.m.View()
				clean(t, "screen", v.Content)
				clean(t, "title", v.WindowTitle)
			}
		}
		k.leave(t)
	})
}

// begin shows some recordings, with what a user may have besides.
func (k *monkey) begin(t *testing.T, seed uint64) {
	kinds := []func() []wire.Frame{
		scenes.Stdio, scenes.HTTP, scenes.Busy, crowdScene, insightScene, handlesScene, hostile, hostileHTTP, monstrous,
	}
	k.s = newFakeSource()
	for i := range 1 + k.IntN(3) {
		frames := kinds[k.IntN(len(kinds))]()
		if k.IntN(2) == 0 {
			frames = k.broken(frames)
		}
		id := fmt.Sprint("r", i)
		r := live(id)
		r.Tap, r.Label = []string{"stdio", "http"}[k.IntN(2)], []string{"notes", poison, ""}[k.IntN(3)]
		k.s.recs[id], r.Live = frames, k.IntN(3) > 0
		some := k.IntN(len(frames) + 1)
		if r.Live {
			k.rec, k.rest = id, frames[some:]
		} else if k.IntN(2) == 0 {
			some = 0 // it is loaded when it is opened
		}
		k.s.ch <- Batch{Recordings: []Recording{r}, Frames: tagged(id, frames[:some])}
	}
	f := newFakeReplayer()
	if seed%3 == 1 {
		f.plan.Unmarked = nil
	}
	opts := Options{
		Replayer: f, Notebook: newNotebook(), Exporter: &fakeExporter{}, Filters: &filterShelf{used: []string{"is:error", poison}},
		TapInProcess: seed%2 == 0, ASCII: seed%3 == 0, NoColor: seed%5 == 0,
	}
	if seed%4 == 0 {
		opts.rules = poisoned()
	}
	k.d = drive(t, k.s, opts, 120, 36)
}

// broken is a recording that was damaged: bytes, ends and whole frames are missing or
// others.
func (k *monkey) broken(frames []wire.Frame) (out []wire.Frame) {
	for _, f := range frames {
		f.Data = slices.Clone(f.Data)
		switch k.IntN(12) {
		case 0:
			continue
		case 1:
			f.Data, f.Part = f.Data[:k.IntN(len(f.Data)+1)], wire.Cut
		case 2:
			if len(f.Data) > 0 {
				f.Data[k.IntN(len(f.Data))] = byte(k.IntN(256))
			}
		case 3:
			f.T -= k.Int64N(5e9)
		case 4:
			out = append(out, wire.Frame{Kind: wire.KindGap, T: f.T, Data: []byte(`{"frames":7,"bytes":-1}`)}, f)
			continue
		case 5:
			f.X, f.Conn, f.Dir = uint32(k.IntN(4)), uint32(k.IntN(3)), []wire.Dir{'<', '>', 0}[k.IntN(3)]
		}
		out = append(out, f)
	}
	for i := range out {
		out[i].N = uint64(i + 1)
	}
	return out
}

// monstrous is a recording of what is long, deep, or written from right to left.
func monstrous() []wire.Frame {
	deep := strings.Repeat(`[{"a":`, 600) + "1" + strings.Repeat("}]", 600)
	bidi := `"\u202e\u2066كلمة \u200b\ufeff👩‍👩‍👧‍👦 \u0301\u0301` + strings.Repeat("\u0300", 300) + `"`
	var t scenes.Tape
	t.Line(wire.ToServer, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":%s}}}`, bidi)
	t.Line(wire.ToClient, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","serverInfo":{"name":%s},"capabilities":{"tools":%s}}}`, bidi, deep)
	for i := range 12 {
		id := i + 2
		t.Line(wire.ToServer, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"t%d","arguments":%s}}`, id, i%3, []string{deep, bidi, `{"x":1e999}`, "null"}[i%4])
		t.Line(wire.ToClient, `{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"%s"}],"isError":%v}}`, id, strings.Repeat("wide 界 ", 1000*(i%3)), i%2 == 0)
	}
	t.Line(wire.ToClient, "%s", bytes.Repeat([]byte{0, 0xff, 0x9b, 0xed, 0xa0, 0x80}, 500))
	return t.Frames
}

// act does one thing.
func (k *monkey) act() {
	x, y := k.IntN(200), k.IntN(60)
	switch button := []tea.MouseButton{tea.MouseLeft, tea.MouseLeft, tea.MouseRight, tea.MouseMiddle}[k.IntN(4)]; k.IntN(32) {
	case 0:
		k.do(tea.WindowSizeMsg{Width: 1 + x, Height: 1 + y})
	case 1, 2:
		k.do(tea.MouseClickMsg{X: x, Y: y, Button: button}, tea.MouseReleaseMsg{X: x, Y: y, Button: button})
	case 3:
		k.do(tea.MouseClickMsg{X: x, Y: y, Button: button}, tea.MouseMotionMsg{X: k.IntN(120), Y: k.IntN(36), Button: button},
			tea.MouseReleaseMsg{X: k.IntN(120), Y: k.IntN(36), Button: button})
	case 4:
		k.do(tea.MouseWheelMsg{X: x, Y: y, Button: tea.MouseWheelUp + tea.MouseButton(k.IntN(4))})
	case 5:
		k.do(tea.PasteMsg{Content: []string{poison, "tool:search", strings.Repeat("x", 5000), "{\"a\":1}\n", ""}[k.IntN(5)]})
	case 6:
		k.do(tea.BackgroundColorMsg{Color: color.Gray{uint8(k.IntN(256))}})
	case 7:
		k.do([]tea.Msg{tea.FocusMsg{}, tea.BlurMsg{}, tea.KeyReleaseMsg{Code: 'j'}}[k.IntN(3)])
	case 8, 9:
		n := min(len(k.rest), k.IntN(6))
		k.log = append(k.log, fmt.Sprint(n, " frames"))
		k.s.ch <- Batch{Frames: tagged(k.rec, k.rest[:n])}
		k.rest = k.rest[n:]
		k.d.send()
	case 10:
		k.log = append(k.log, "time passes")
		time.Sleep(time.Duration(k.IntN(3000)) * time.Millisecond)
		k.d.send()
	case 11:
		k.typed(":theme " + Themes()[k.IntN(len(Themes()))])
		k.press("enter")
	case 12:
		k.typed([]string{"/", ":", "/is:error ", ":goto ", ";", ":fault ", ":filter tool:"}[k.IntN(7)])
	case 13:
		k.do(tea.KeyPressMsg{Code: []rune{tea.KeyF1, tea.KeyInsert, tea.KeyDelete, tea.KeyMenu, 'é', 0}[k.IntN(6)], Mod: tea.KeyMod(k.IntN(8))})
	case 14:
		k.press([]string{"w", "s", "t", "c", "H", "O", "!", "I", "b"}[k.IntN(9)])
	default:
		k.press(k.keys[k.IntN(len(k.keys))])
	}
}

func (k *monkey) do(msgs ...tea.Msg) {
	k.log = append(k.log, fmt.Sprintf("%.80s", fmt.Sprintf("%T%v", msgs[0], msgs[0])))
	k.n += len(msgs)
	k.d.send(msgs...)
}

func (k *monkey) press(key string) {
	k.log, k.n = append(k.log, key), k.n+1
	k.d.press(key)
}

func (k *monkey) typed(text string) {
	k.log, k.n = append(k.log, strconv.Quote(text)), k.n+len(text)
	k.d.typed(text)
}

// leave goes out of wherever that led: esc does, as often as it takes.
func (k *monkey) leave(t *testing.T) {
	k.d.send(tea.WindowSizeMsg{Width: 120, Height: 36})
	for range 60 {
		k.d.press("esc")
		if k.d.m.replay.Running() && k.d.m.dialog.kind == replayDialog {
			k.d.press("y") // it asks whether to stop
		}
		if m := k.d.m; m.dialog.kind == noDialog && m.entry == nil && m.writes() == nil && (m.view == nil || m.view == m.home) {
			return
		}
	}
	t.Fatalf("esc does not lead out of\n%s", k.d.screen())
}
