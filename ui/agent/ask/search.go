package ask

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"midwire/session/library"
)

// Search asks where a text stands, in all recordings or in one.
type Search struct {
	Text    string `json:"text" word:"arg" jsonschema:"what to look for, in any case"`
	Regexp  bool   `json:"regexp,omitempty" word:"--regexp" jsonschema:"text is a regular expression"`
	Session string `json:"session,omitempty" word:"--in" jsonschema:"only in this session or recording"`
	Own     bool   `json:"own,omitempty" word:"--own" jsonschema:"also in sessions with midwire's own MCP server"`
	Limit   int    `json:"limit,omitempty" word:"--limit" jsonschema:"how many hits, default 20, at most 50"`
	Cursor  string `json:"cursor,omitempty" word:"--cursor" jsonschema:"from next of the page before"`
}

// Hit is a frame in which a text stands.
type Hit struct {
	Session string  `json:"session"`
	Frame   uint64  `json:"frame"`
	Kind    string  `json:"kind"`
	Dir     string  `json:"direction,omitempty"`
	Seconds float64 `json:"seconds"`
	Text    string  `json:"text"` // around the place

	id string // of the recording
}

// Hits are the first frames in which a text stands, the newest recordings first.
type Hits struct {
	Hits     []Hit `json:"hits" least:"1"`
	Searched int   `json:"recordings_searched"`
	Left     int   `json:"recordings_left,omitempty"` // that were not looked at
	Failed   int   `json:"recordings_unreadable,omitempty"`
	Leads

	ask    Search
	found  int
	id     string // of the recording in which it ended, and the frame; 0 when all was looked through
	behind uint64
}

const (
	searchTime = 20 * time.Second // then the rest is left to the next page
	beside     = 100              // bytes before and after a hit
)

// Ask implements Question.
func (q Search) Ask(ctx context.Context, r *Recordings) (*Hits, error) {
	pattern := regexp.QuoteMeta(q.Text)
	if q.Regexp {
		pattern = q.Text
	}
	re, err := regexp.Compile("(?i)" + pattern)
	if err != nil || q.Text == "" {
		return nil, mistakef("text %q: %w. Without regexp it is looked for as it stands", q.Text, cmp.Or(err, errors.New("nothing to look for")))
	}
	places, err := q.places(r)
	if err != nil {
		return nil, err
	}
	after := uint64(0)
	if q.Cursor != "" {
		if places, after, err = resume(places, q.Cursor); err != nil {
			return nil, err
		}
	}
	h := &Hits{Hits: []Hit{}, ask: q}
	limit, until := bounded(q.Limit, 20, 50), time.Now().Add(searchTime)
	for i, p := range places {
		if r.Seen != nil {
			r.Seen(i, len(places))
		}
		last, err := h.in(ctx, p, re, after, limit, until)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil && q.Session != "":
			return nil, err
		case err != nil:
			h.Failed++
		}
		h.Searched++
		if after = 0; last > 0 {
			h.Left, h.id, h.behind = len(places)-i-1, p.id, last
			break
		}
	}
	h.found = len(h.Hits)
	return h, nil
}

// places are the recordings to look at, newest first.
func (q *Search) places(r *Recordings) ([]place, error) {
	if q.Session != "" {
		p, err := r.find(q.Session)
		return []place{p}, err
	}
	all, _, err := r.entries(q.Own)
	var places []place
	for _, e := range all {
		if e.Err == nil {
			places = append(places, placeOf(e.Path, 0))
		}
	}
	return places, err
}

func resume(places []place, cursor string) ([]place, uint64, error) {
	id, frame, _ := strings.Cut(cursor, "#")
	n, err := strconv.ParseUint(frame, 10, 64)
	i := slices.IndexFunc(places, func(p place) bool { return p.id == id })
	if err != nil || i < 0 {
		return nil, 0, mistakef("cursor %q: take it from next of the page before, or leave it out", cursor)
	}
	return places[i:], n, nil
}

// in looks through a recording. It returns the frame to go on behind when the
// page is full or the time is up, else 0.
func (h *Hits) in(
	ctx context.Context, p place, re *regexp.Regexp, after uint64, limit int, until time.Time,
) (uint64, error) {
	last := uint64(0)
	err := library.Find(ctx, p.path, re, func(f library.Match) bool {
		if f.N <= after || p.session > 0 && f.Step.Session != p.session-1 {
			return true
		}
		if f.At != nil {
			from, to := unbroken(f.Text, max(0, f.At[0]-beside), min(len(f.Text), f.At[1]+beside, f.At[0]+4*beside))
			h.Hits = append(h.Hits, Hit{
				Session: ref(p.id, f.Step.Session+1), Frame: f.N, Kind: f.Kind.String(), Dir: direction(f.Dir),
				Seconds: seconds(f.T), id: p.id, Text: strings.ToValidUTF8(string(bytes.TrimSpace(f.Text[from:to])), ""),
			})
		}
		if len(h.Hits) == limit || time.Now().After(until) {
			last = f.N
			return false
		}
		return true
	})
	return last, err
}

// unbroken widens a part of a text so that it does not begin or end within a
// word: half a token is not known for one, and would not be masked.
func unbroken(text []byte, from, to int) (int, int) {
	const most = 300
	word := func(c byte) bool {
		return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || strings.IndexByte("-_.+/=~", c) >= 0
	}
	for i := 0; i < most && from > 0 && word(text[from-1]); i++ {
		from--
	}
	for i := 0; i < most && to < len(text) && word(text[to]); i++ {
		to++
	}
	return from, to
}

func (h *Hits) lead() {
	h.Next = nil
	n := len(h.Hits)
	if n < h.found {
		h.id, h.behind = h.Hits[n-1].id, h.Hits[n-1].Frame
	}
	if h.behind > 0 {
		h.add(toolSearch, "there may be more", again(h.ask, "cursor", fmt.Sprintf("%s#%d", h.id, h.behind)))
	}
	if n > 0 {
		h.add(toolMessage, "the message whole", map[string]any{"session": h.Hits[0].Session, "frame": h.Hits[0].Frame})
	}
}
