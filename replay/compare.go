package replay

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"time"

	"midwire/session/jsonpath"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// Verdict is what came of comparing two answers to one call.
type Verdict string

// The verdicts.
const (
	Same    Verdict = "same"
	Changed Verdict = "changed"
	Missing Verdict = "missing" // there is no such call on the other side
	Extra   Verdict = "extra"   // there was none on the first side
	Broken  Verdict = "error now"
	Fixed   Verdict = "fixed now"
	Slower  Verdict = "slower" // otherwise the same
	Skipped Verdict = "skipped"
)

// Differs says whether the verdict is a difference.
func (v Verdict) Differs() bool { return v != Same && v != Skipped }

// Change is one difference between two answers.
type Change struct {
	Path string `json:"path"`
	Kind string `json:"kind"` // "changed", "added" or "removed"
	Was  string `json:"was,omitempty"`
	Now  string `json:"now,omitempty"`

	sum uint64 // hash of all of Now
}

// maxChanges bounds what is told of one call.
const maxChanges = 50

// Answer is what a call was answered.
type Answer struct {
	Message wire.Message // Kind is MsgInvalid when it is no JSON-RPC
	Status  int          // of HTTP, 0 on stdio
	Took    time.Duration
	None    string // why there is none: "cancelled", "no answer within 60s"; "" when there is one
}

// failed says whether the call failed, and how in a few words.
func (a *Answer) failed(method string) (string, bool) {
	switch {
	case a.None != "":
		return a.None, a.None != noneCancelled
	case a.Message.Kind == wire.MsgError:
		code := wire.Get(a.Message.Error, "code")
		return fmt.Sprintf("error %s: %s", code, wire.Text(wire.Get(a.Message.Error, "message"))), true
	case a.Message.Kind == wire.MsgInvalid:
		return fmt.Sprintf("HTTP %d without a JSON-RPC answer", a.Status), a.Status >= 400 || a.Status == 0
	case string(wire.Get(a.Message.Result, "isError")) == "true" && (method == mcp.ToolsCall || method == mcp.TasksResult):
		text := ""
		wire.Items(wire.Get(a.Message.Result, "content"), func(_ int, v []byte) bool {
			text = wire.Text(wire.Get(v, "text"))
			return text == ""
		})
		return "the tool failed: " + text, true
	}
	return "", false
}

const noneCancelled = "cancelled"

// Slow says from when on a call counts as slower. The zero value never does.
type Slow struct {
	Factor float64       // so many times the recorded time, and
	Least  time.Duration // so much more than it
}

// DefaultSlow is three times and a quarter of a second more.
func DefaultSlow() Slow { return Slow{Factor: 3, Least: 250 * time.Millisecond} }

func (s Slow) slower(was, now time.Duration) bool {
	return s.Factor > 0 && now > time.Duration(float64(was)*s.Factor) && now > was+s.Least
}

// judgement is what comparing came to.
type judgement struct {
	verdict Verdict
	changes []Change
	note    string
	slower  bool
}

// compare compares two answers to a call of that method and target.
func (m *Masks) compare(method, target string, a, b *Answer, slow Slow) judgement {
	var j judgement
	why, wasBad := a.failed(method)
	now, isBad := b.failed(method)
	// The first answer of a server takes as long as the machine does to start it.
	first := method == mcp.Initialize || method == mcp.Discover
	j.slower = !first && a.None == "" && b.None == "" && slow.slower(a.Took, b.Took)
	switch {
	case a.None == noneCancelled || b.None == noneCancelled && a.None != "":
		// Whether the answer comes before the cancellation is chance.
		j.verdict = Same
		if a.None != b.None {
			j.note = "recorded: " + a.None + ", now: " + cmp.Or(b.None, "answered before that")
		}
		return j
	case wasBad && !isBad:
		j.verdict, j.note = Fixed, why
	case isBad && !wasBad:
		j.verdict, j.note = Broken, now
	case a.None != "" && b.None != "":
		j.verdict = Same
		return j
	default:
		j.verdict = Same
	}
	j.changes = m.changes(method, target, a, b)
	switch {
	case j.verdict != Same:
	case len(j.changes) > 0:
		j.verdict = Changed
	case j.slower:
		j.verdict = Slower
	}
	return j
}

// changes lists what is different between two answers.
func (m *Masks) changes(method, target string, a, b *Answer) []Change {
	if a.None != "" || b.None != "" {
		return nil
	}
	d := differ{masks: m, rules: m.of(method, target)}
	if a.Status != 0 && b.Status != 0 && a.Status != b.Status {
		d.add(jsonpath.Path{{Name: "status"}}, "changed", json.Number(fmt.Sprint(a.Status)), json.Number(fmt.Sprint(b.Status)))
	}
	if a.Message.Kind == b.Message.Kind && bytes.Equal(a.Message.Result, b.Message.Result) && bytes.Equal(a.Message.Error, b.Message.Error) {
		return d.found
	}
	for _, part := range [...]struct {
		name string
		a, b []byte
	}{{"result", a.Message.Result, b.Message.Result}, {"error", a.Message.Error, b.Message.Error}} {
		if len(part.a)+len(part.b) > maxDecoded && part.a != nil && part.b != nil {
			d.large(jsonpath.Path{{Name: part.name}}, part.a, part.b)
		} else {
			d.raw(part.name, part.a, part.b)
		}
	}
	return d.found
}

// differ collects the differences of two JSON values.
type differ struct {
	masks *Masks
	rules []Rule
	found []Change
}

func (d *differ) raw(name string, a, b []byte) {
	at := make(jsonpath.Path, 0, 16)
	at = append(at, jsonpath.Seg{Name: name})
	switch {
	case a == nil && b == nil:
	case a == nil:
		d.add(at, "added", nil, decode(b))
	case b == nil:
		d.add(at, "removed", decode(a), nil)
	default:
		d.value(at, decode(a), decode(b))
	}
}

// decode reads JSON without losing digits. What cannot be decoded is a text.
func decode(raw []byte) any {
	var v any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return string(raw)
	}
	return v
}

func (d *differ) add(at jsonpath.Path, kind string, was, now any) {
	if len(d.found) >= maxChanges {
		return
	}
	for _, r := range d.rules {
		if r.Path.Matches(at) {
			return
		}
	}
	d.note(at, kind, show(was), show(now))
}

func (d *differ) note(at jsonpath.Path, kind, before, after string) {
	const most = 160
	d.found = append(d.found, Change{Path: at.String(), Kind: kind, Was: clip(before, most), Now: clip(after, most), sum: hash(after)})
}

// show writes a value, "" for none.
func show(v any) string {
	if v == nil {
		return ""
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // it was decoded from JSON
	return strings.TrimSpace(b.String())
}

func (d *differ) value(at jsonpath.Path, a, b any) {
	switch x := a.(type) {
	case map[string]any:
		if y, ok := b.(map[string]any); ok {
			d.object(at, x, y)
			return
		}
	case []any:
		if y, ok := b.([]any); ok {
			d.array(at, x, y)
			return
		}
	case string:
		y, ok := b.(string)
		if ok && x == y {
			return
		}
		if ok && d.embedded(at, x, y) {
			return
		}
	default:
		if a == b {
			return
		}
	}
	if !d.masks.ignores(d.rules, at, a, b) {
		d.add(at, "changed", a, b)
	}
}

// embedded compares JSON that is written as text, as many tools do.
func (d *differ) embedded(at jsonpath.Path, a, b string) bool {
	if !isEmbedded(a, b) {
		return false
	}
	d.value(at, decode([]byte(a)), decode([]byte(b)))
	return true
}

func (d *differ) object(at jsonpath.Path, a, b map[string]any) {
	names := make([]string, 0, len(a)+len(b))
	for k := range a {
		names = append(names, k)
	}
	for k := range b {
		if _, ok := a[k]; !ok {
			names = append(names, k)
		}
	}
	sort.Strings(names)
	for _, k := range names {
		x, was := a[k]
		y, is := b[k]
		place := append(at, jsonpath.Seg{Name: k})
		switch {
		case was && is:
			d.value(place, x, y)
		case was && !d.masks.comesAndGoes(place):
			d.add(place, "removed", x, nil)
		case is && !d.masks.comesAndGoes(place):
			d.add(place, "added", nil, y)
		}
	}
}

// comesAndGoes says whether a member may be there or not in two runs of one
// server.
func (m *Masks) comesAndGoes(at jsonpath.Path) bool {
	switch at.Last() {
	case mcp.MetaTraceParent, mcp.MetaTraceState, mcp.MetaBaggage:
		return true
	}
	return false
}

// array compares elements by their names where they have some, else by their
// places.
func (d *differ) array(at jsonpath.Path, a, b []any) {
	if x, y := named(a), named(b); x != nil && y != nil {
		for i, v := range a {
			place := append(at, jsonpath.Seg{Index: i, Kind: jsonpath.Element})
			if j, ok := y[nameOf(v)]; ok {
				d.value(place, v, b[j])
			} else {
				d.add(place, "removed", v, nil)
			}
		}
		for j, v := range b {
			if _, ok := x[nameOf(v)]; !ok {
				d.add(append(at, jsonpath.Seg{Index: j, Kind: jsonpath.Element}), "added", nil, v)
			}
		}
		return
	}
	for i := range max(len(a), len(b)) {
		place := append(at, jsonpath.Seg{Index: i, Kind: jsonpath.Element})
		switch {
		case i >= len(b):
			d.add(place, "removed", a[i], nil)
		case i >= len(a):
			d.add(place, "added", nil, b[i])
		default:
			d.value(place, a[i], b[i])
		}
	}
}

func nameOf(v any) string {
	o, _ := v.(map[string]any)
	for _, k := range [...]string{"name", "uri", "uriTemplate"} {
		if s, ok := o[k].(string); ok {
			return k + "=" + s
		}
	}
	return ""
}

// named maps the names of the elements of a list to their places; nil when not
// all have one of their own.
func named(list []any) map[string]int {
	names := make(map[string]int, len(list))
	for i, v := range list {
		n := nameOf(v)
		if _, twice := names[n]; n == "" || twice {
			return nil
		}
		names[n] = i
	}
	return names
}
