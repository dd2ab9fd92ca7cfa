package session_test

import (
	"testing"

	. "midwire/session"
	"midwire/session/wire"
)

// gated is a stdio session of frames numbered from 1, gate frames among them.
func gated(lines ...[2]string) *Tracker {
	t := New(Options{Tap: "stdio"})
	for i, l := range lines {
		f := wire.Frame{N: uint64(i + 1), T: int64(i), Kind: wire.KindLine, X: 1, Dir: wire.Dir(l[0][0]), Data: []byte(l[1])}
		switch l[0][1:] {
		case "g":
			f.Kind = wire.KindGate
		case "x":
			f.Kind, f.Dir = wire.KindExit, 0
		}
		t.Apply(&f)
	}
	return t
}

const (
	ask    = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`
	answer = `{"jsonrpc":"2.0","id":1,"result":{}}`
)

// rowsOf lists what was done to the rows of messages.
func rowsOf(t *Tracker) (all []Touch) {
	for i := range t.Rows() {
		if r := t.Row(i); r.Kind == RowCall || r.Kind == RowNotification || r.Kind == RowResponse {
			all = append(all, t.Touched(i))
		}
	}
	return all
}

func TestTouched(t *testing.T) {
	for name, tc := range map[string]struct {
		lines [][2]string
		want  []Touch
		ours  []uint64 // frames that count as the gate's doing
		not   []uint64
	}{
		"held and edited": {
			[][2]string{{">", ask}, {">g", `{"what":"hold","frame":1,"id":1}`}, {">g", `{"what":"edit","frame":1,"now":{"jsonrpc":"2.0","id":"x","method":"tools/call"}}`}, {">g", `{"what":"release","frame":1,"id":1,"ms":5}`}, {"<", `{"jsonrpc":"2.0","id":"x","result":{}}`}},
			[]Touch{TouchHeld | TouchEdited},
			[]uint64{1, 5},
			nil,
		},
		"answered": {
			[][2]string{{">", ask}, {">g", `{"what":"answer","frame":1,"made":1}`}, {"<", answer}, {">", `{"jsonrpc":"2.0","method":"notifications/x"}`}},
			[]Touch{TouchAnswered, 0},
			[]uint64{1, 3},
			[]uint64{4},
		},
		"injected": {
			[][2]string{{">", ask}, {"<g", `{"what":"inject","frame":1,"made":1}`}, {"<", `{"jsonrpc":"2.0","method":"notifications/x"}`}, {"<", answer}},
			[]Touch{0, TouchMade},
			[]uint64{3},
			[]uint64{1, 4},
		},
		"killed": {
			[][2]string{{">", ask}, {">g", `{"what":"kill","frame":1}`}, {">", `{"jsonrpc":"2.0","id":2,"method":"ping"}`}, {" x", `{"code":137,"signal":"SIGKILL","lost":true}`}},
			[]Touch{TouchKilled, TouchKilled},
			[]uint64{1, 3, 4},
			nil,
		},
	} {
		tr := gated(tc.lines...)
		got := rowsOf(tr)
		if len(got) != len(tc.want) {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
			continue
		}
		for i := range got {
			if got[i] != tc.want[i] {
				t.Errorf("%s: %v, want %v", name, got, tc.want)
			}
		}
		for _, n := range tc.ours {
			if !tr.ByGate([]uint64{n}) {
				t.Errorf("%s: frame %d is the gate's doing", name, n)
			}
		}
		for _, n := range tc.not {
			if tr.ByGate([]uint64{n}) {
				t.Errorf("%s: frame %d is not the gate's doing", name, n)
			}
		}
	}
}
