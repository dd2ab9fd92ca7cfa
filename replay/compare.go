package replay

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"midwire/session/jsonpath"
	"midwire/session/mcp"
	"midwire/session/words"
)

// Verdict is what came of comparing two responses to one call.
type Verdict uint8

// The verdicts.
const (
	Same Verdict = iota
	Changed
	Missing // there is no such call on the other side
	Extra   // there was none on the first side
	Broken  // it fails now
	Fixed   // it failed before
	Slower  // otherwise the same
	Skipped
	Verdicts // how many there are
)

// String is the verdict for people, and in a report.
func (v Verdict) String() string {
	return [Verdicts]string{"same", "changed", "missing", "extra", "error now", "fixed now", "slower", "skipped"}[v]
}

// MarshalText writes the verdict as String does.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// Differs says whether the verdict is a difference.
func (v Verdict) Differs() bool { return v != Same && v != Skipped }

// Change is one difference between two responses.
type Change struct {
	Path string `json:"path"`
	Kind string `json:"kind"` // "changed", "added" or "removed"
	Was  string `json:"was,omitempty"`
	Now  string `json:"now,omitempty"`

	sum uint64 // hash of all of Now
}

// String is the change in one line. It holds text from the wire.
func (c Change) String() string {
	switch c.Kind {
	case "added":
		return c.Path + " added: " + c.Now
	case "removed":
		return c.Path + " removed: " + c.Was
	}
	return c.Path + ": " + c.Was + " → " + c.Now
}

// MaxChanges bounds what is said of one call.
const MaxChanges = 50

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

// Compare fills in what came of comparing the two responses to the call of an
// outcome.
func (m *Masks) Compare(o *Outcome, was, now *Response, slow Slow) {
	o.Was, o.Now = *was, *now
	o.Verdict, o.Changes, o.Note = Same, nil, ""
	why, wasBad := was.Failure(o.Method)
	failure, isBad := now.Failure(o.Method)
	// The first response of a server takes as long as the machine does to start it.
	first := o.Method == mcp.Initialize || o.Method == mcp.Discover
	o.Slower = !first && was.None == "" && now.None == "" && slow.slower(was.Took, now.Took)
	switch {
	case was.None == Cancelled || now.None == Cancelled && was.None != "":
		// Whether the response comes before the cancellation is chance.
		if was.None != now.None {
			o.Note = "recorded: " + was.None + ", now: " + cmp.Or(now.None, "a response before that")
		}
		return
	case wasBad && !isBad:
		o.Verdict, o.Note = Fixed, why
	case isBad && !wasBad:
		o.Verdict, o.Note = Broken, failure
	case was.None != "" && now.None != "":
		return
	}
	o.Changes = m.changes(o.Method, o.Target, was, now)
	switch {
	case o.Verdict != Same:
	case len(o.Changes) > 0:
		o.Verdict = Changed
	case o.Slower:
		o.Verdict = Slower
	}
}

// changes lists what is different between two responses.
func (m *Masks) changes(method, target string, was, now *Response) []Change {
	if was.None != "" || now.None != "" {
		return nil
	}
	d := differ{masks: m, rules: m.of(method, target)}
	if was.Status != 0 && now.Status != 0 && was.Status != now.Status {
		number := func(n int) any { return json.Number(strconv.Itoa(n)) }
		d.add(jsonpath.Path{{Name: "status"}}, "changed", number(was.Status), number(now.Status))
	}
	if was.Error == now.Error && bytes.Equal(was.Body, now.Body) {
		return d.found
	}
	a, b := was.parts(), now.parts()
	for i, name := range partNames {
		if len(a[i])+len(b[i]) > maxDecoded && a[i] != nil && b[i] != nil {
			d.large(jsonpath.Path{{Name: name}}, a[i], b[i])
		} else {
			d.raw(name, a[i], b[i])
		}
	}
	return d.found
}

// Differences lists how two values of that name differ, but for what rules
// cover; either may be nil for none.
func (m *Masks) Differences(rules []Rule, name string, a, b []byte) []Change {
	d := differ{masks: m, rules: rules}
	d.raw(name, a, b)
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
	if len(d.found) >= MaxChanges || covered(d.rules, at) {
		return
	}
	d.note(at, kind, show(was), show(now))
}

func (d *differ) note(at jsonpath.Path, kind, before, after string) {
	const most = 160
	d.found = append(d.found, Change{
		Path: at.String(), Kind: kind, sum: hash(after),
		Was: words.Ellipsis(before, most), Now: words.Ellipsis(after, most),
	})
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
	names := slices.Collect(maps.Keys(a))
	for k := range b {
		if _, ok := a[k]; !ok {
			names = append(names, k)
		}
	}
	slices.Sort(names)
	for _, k := range names {
		x, was := a[k]
		y, is := b[k]
		place := append(at, jsonpath.Seg{Name: k})
		switch {
		case was && is:
			d.value(place, x, y)
		case was && !comesAndGoes(place):
			d.add(place, "removed", x, nil)
		case is && !comesAndGoes(place):
			d.add(place, "added", nil, y)
		}
	}
}

// comesAndGoes says whether a member may be there or not in two runs of one
// server.
func comesAndGoes(at jsonpath.Path) bool {
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
