package ask

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"midwire/session"
	"midwire/session/record"
	"midwire/session/wire"
	"midwire/session/words"
)

// Search asks where a text stands, in all recordings or in one.
type Search struct {
	Text    string `json:"text" jsonschema:"what to look for, in any case"`
	Regexp  bool   `json:"regexp,omitempty" jsonschema:"text is a regular expression"`
	Session string `json:"session,omitempty" jsonschema:"only in this session or recording"`
	Own     bool   `json:"own,omitempty" jsonschema:"also in sessions with this MCP server itself"`
	Limit   int    `json:"limit,omitempty" jsonschema:"how many hits, 20 unless told, at most 50"`
	Cursor  string `json:"cursor,omitempty" jsonschema:"from next of the page before"`
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
	Hits     []Hit  `json:"hits"`
	Searched int    `json:"recordings_searched"`
	Left     int    `json:"recordings_left,omitempty"` // that were not looked at
	Failed   int    `json:"recordings_unreadable,omitempty"`
	Next     []Call `json:"next,omitempty"`

	ask Search
}

const (
	searchTime = 20 * time.Second // then the rest is left to the next page
	around     = 100              // bytes before and after a hit
)

// Ask implements the question.
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
	limit, until := min(max(cmp.Or(q.Limit, 20), 1), 50), time.Now().Add(searchTime)
	for i, p := range places {
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
			h.Left = len(places) - i - 1
			h.lead(p.id, last)
			return h, nil
		}
	}
	h.lead("", 0)
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

// resume goes on where a page ended.
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
	r, err := record.Open(p.path)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	t := session.New(session.Options{Tap: r.Header().Tap})
	var f wire.Frame
	for ctx.Err() == nil {
		switch err := r.Next(&f); {
		case errors.Is(err, io.EOF):
			return 0, nil
		case err != nil:
			return 0, err
		}
		step := t.Apply(&f)
		if f.N <= after || p.session > 0 && step.Session != p.session-1 {
			continue
		}
		text := textOf(t, &f)
		at := re.FindIndex(text)
		if at != nil {
			from, to := max(0, at[0]-around), min(len(text), at[1]+around, at[0]+4*around)
			h.Hits = append(h.Hits, Hit{
				Session: ref(p.id, step.Session+1), Frame: f.N, Kind: f.Kind.String(), Dir: direction(f.Dir),
				Seconds: seconds(f.T), id: p.id, Text: strings.ToValidUTF8(string(bytes.TrimSpace(text[from:to])), ""),
			})
		}
		if len(h.Hits) == limit || time.Now().After(until) {
			return f.N, nil
		}
	}
	return 0, ctx.Err()
}

// lead says what to ask next.
func (h *Hits) lead(id string, frame uint64) {
	h.Next = nil
	if frame > 0 {
		args := arguments(h.ask)
		args["cursor"] = fmt.Sprintf("%s#%d", id, frame)
		h.Next = append(h.Next, Call{Tool: toolSearch, Arguments: args, Why: "there may be more"})
	}
	if len(h.Hits) > 0 {
		first := h.Hits[0]
		args := map[string]any{"session": first.Session, "frame": first.Frame}
		h.Next = append(h.Next, Call{Tool: toolMessage, Arguments: args, Why: "the message whole"})
	}
}

// Shrink implements Result.
func (h *Hits) Shrink() bool {
	n := len(h.Hits)
	if n < 2 {
		return false
	}
	h.Hits = h.Hits[:n-1-n/8]
	last := h.Hits[len(h.Hits)-1]
	h.lead(last.id, last.Frame)
	return true
}

// Markdown implements Result.
func (h *Hits) Markdown(shell bool) string {
	b := page{shell: shell}
	b.line(words.Count(len(h.Hits), "hit"), " in ", words.Count(h.Searched, "recording"), fmt.Sprintf("; %d not looked at yet.", h.Left))
	if h.Failed > 0 {
		b.line(words.Count(h.Failed, "recording"), " could not be read.")
	}
	if len(h.Hits) > 0 {
		b.line(data)
		var rows strings.Builder
		for _, hit := range h.Hits {
			fmt.Fprintf(&rows, "%s #%d %s %s: …%s…\n", hit.Session, hit.Frame, hit.Kind, hit.Dir, strings.Join(strings.Fields(hit.Text), " "))
		}
		b.fence(rows.String())
	}
	b.calls(h.Next)
	return b.String()
}
