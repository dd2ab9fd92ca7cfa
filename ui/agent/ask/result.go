package ask

import (
	"context"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"midwire/session/safe"
	"midwire/session/words"
)

// Limit is how long a result may be as it goes over the wire, in bytes, Markdown
// and JSON together: about 8,000 tokens.
const Limit = 32 << 10

// Question is what can be asked, with what comes back.
type Question[R Result] interface {
	Ask(ctx context.Context, r *Recordings) (R, error)
}

// Result is what comes of a question. It marshals to JSON of a stable shape, and has a
// template with the name of its type in markdown.jq. A field with the tag least is cut
// down to that length when the result is too long.
type Result interface {
	// lead counts what is left out by now, and sets the calls that lead on.
	lead()
	next() []Call
}

// Linked is a Result with something behind it that can be read by address.
type Linked interface {
	// Link is the reference of a session, and what of it is meant: "/findings",
	// "/frame/3" or "/report.html".
	Link() (session, what string)
}

// Answer asks a question. What comes back is masked, has nothing in it that a
// terminal might act upon, and is not longer than Limit.
func Answer[Q Question[R], R Result](ctx context.Context, r *Recordings, q Q) (R, error) {
	if err := r.prepare(); err != nil {
		var none R
		return none, err
	}
	out, err := q.Ask(ctx, r)
	for err == nil {
		out.lead()
		clean(reflect.ValueOf(out), r.mask)
		if size(out) <= Limit || !shrink(reflect.ValueOf(out)) {
			break
		}
	}
	return out, err
}

// size is how long a result is as it goes over the wire.
func size(r Result) int {
	structured, _ := json.Marshal(r)
	text, _ := json.Marshal(Markdown(r, false))
	const envelope = 768 // with links
	return len(structured) + len(text) + envelope
}

// fronted is a list that may be cut at its beginning.
type fronted interface {
	// cutFront cuts off n at the beginning, or returns false: at the end.
	cutFront(n int) bool
}

// shrink takes an eighth off the first list that is longer than its tag least, or
// a sixth off the first text. False: there is nothing left that could be.
func shrink(v reflect.Value) bool {
	if v = reflect.Indirect(v); v.Kind() != reflect.Struct {
		return false
	}
	for field, f := range v.Fields() {
		least, err := strconv.Atoi(field.Tag.Get("least"))
		if err != nil || f.Len() <= least {
			continue
		}
		n := f.Len()
		if f.Kind() == reflect.String {
			f.SetString(words.Clip(f.String(), n-n/6))
			return true
		}
		cut := 1 + n/8
		if front, ok := v.Addr().Interface().(fronted); !ok || !front.cutFront(cut) {
			f.SetLen(n - cut)
		}
		return true
	}
	for _, f := range v.Fields() {
		if f.Kind() == reflect.Pointer && shrink(f) {
			return true
		}
	}
	return false
}

// clean takes from the texts of a result what a terminal might act upon, and
// masks: they are valid, printable and may have line feeds.
func clean(v reflect.Value, mask func(string) string) {
	switch v.Kind() {
	case reflect.Pointer:
		clean(v.Elem(), mask)
	case reflect.String:
		v.SetString(lines(mask(v.String())))
	case reflect.Slice:
		for i := range v.Len() {
			clean(v.Index(i), mask)
		}
	case reflect.Struct:
		for field, f := range v.Fields() {
			if field.IsExported() {
				clean(f, mask)
			}
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			if s, ok := v.MapIndex(k).Interface().(string); ok {
				v.SetMapIndex(k, reflect.ValueOf(lines(mask(s))))
			}
		}
	}
}

// lines makes a text safe and keeps its line feeds.
func lines(s string) string {
	if safe.Whole(s) == s {
		return s
	}
	var b strings.Builder
	for line := range strings.Lines(s) {
		text, feed := strings.CutSuffix(line, "\n")
		b.WriteString(safe.Whole(strings.TrimSuffix(text, "\r")))
		if feed {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
