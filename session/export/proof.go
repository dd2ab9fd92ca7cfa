package export

import (
	"slices"
	"strconv"
	"strings"

	"midwire/session"
	"midwire/session/describe"
	"midwire/session/diagnose"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/session/words"
)

// rowOf is the row that a frame belongs to, the head of its exchange too; -1 for none.
func rowOf(t *session.Tracker, load Load, n uint64) int {
	if i := t.RowAt(n); i >= 0 {
		return i
	}
	f := load(n)
	if f == nil || f.X == 0 {
		return -1
	}
	const near = 8 // frames between a head and the message of its body
	for k := n + 1; k <= n+near; k++ {
		if i := t.RowAt(k); i >= 0 && t.Row(i).X == f.X {
			return i
		}
	}
	return -1
}

// Asked is the frame of a request that asking the server again may explain: of a finding
// that is not certain, the first of its frames that a client's request failed by. It is
// 0 for none.
func Asked(t *session.Tracker, load Load, f *diagnose.Finding) uint64 {
	for _, n := range slices.Concat(f.Frames, f.About) {
		i := rowOf(t, load, n)
		if i < 0 {
			continue
		}
		r := t.Row(i)
		failed := r.Kind == session.RowCall && r.Dir == wire.ToServer && r.Ending.IsError() && r.Session >= 0
		if failed && !challenged(r, load) {
			return uint64(r.Request)
		}
	}
	return 0
}

// challenged says whether a request came without a credential and was refused for it: so a
// login begins, which asking the same again does not explain.
func challenged(r *session.Row, load Load) bool {
	const near = 8 // frames between a head and the message of its body
	for n := uint64(r.Request); r.Status == 401 && n > 0 && n+near > uint64(r.Request); n-- {
		if f := load(n); f != nil && f.X == r.X && f.Kind == wire.KindRequest {
			return wire.HeadValue(f.Data, "Authorization") == ""
		}
	}
	return false
}

// Proof describes some frames in words, a line each: what the rows that they belong to
// are about, and how those ended.
func Proof(t *session.Tracker, load Load, frames []uint64, most int) (lines []string) {
	seen := map[int]bool{}
	for _, n := range frames {
		i := rowOf(t, load, n)
		if i < 0 || seen[i] || len(lines) >= most {
			continue
		}
		seen[i] = true
		r := t.Row(i)
		req := load(uint64(r.Request))
		resp := req
		if r.Response != 0 {
			resp = load(uint64(r.Response))
		}
		target, result := describe.Row(t, r, req, resp)
		line := pad("#"+strconv.FormatUint(uint64(r.Request), 10), 5) + " "
		if name := t.Name(r.Name); !strings.HasPrefix(target, name) {
			line += name
		}
		if target != "" {
			line += " " + words.Line(target, 60)
		}
		if s := strings.TrimSpace(Sign(r.Ending)); s != "" {
			line += "  " + s
		}
		if result != "" {
			line += " " + words.Line(result, 200)
		}
		if n != uint64(r.Request) {
			line += " (#" + strconv.FormatUint(n, 10) + ")"
		}
		lines = append(lines, safe.Clean(line))
	}
	return lines
}
