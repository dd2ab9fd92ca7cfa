package prune

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"midwire/session/library/notebook"
	"midwire/session/library/summary"
	"midwire/session/record"
)

// Large is the size of all recordings, in bytes, from which the user gets a hint.
const Large = 4 << 30

// Result says what was deleted, or would be, and what stays.
type Result struct {
	Gone                    []record.Entry // oldest first
	Bytes                   int64          // of Gone
	Kept                    int            // recordings that stay, all of them
	KeptBytes               int64
	Live, Noted, Unreadable int // of those that the rule would let go, what stays anyway
	failed                  []error
}

// Run deletes the recordings of a folder that a rule lets go, with their
// notes and summaries, and summaries that were left behind; with dry it only
// says which. Copies of other hosts' and the user's own do not displace each other, and what is
// not to be deleted displaces nothing. Sizes are those of recordings and summaries. The error is of the
// folder, or of recordings that could not be deleted: the rest is.
func Run(dir string, rule Rule, now time.Time, dry bool) (Result, error) {
	var r Result
	all, err := record.List(dir)
	if err != nil {
		return r, err
	}
	var own, copies int64 // bytes of what may be deleted
	room := func(e *record.Entry) *int64 {
		if record.HostOf(e.ID) != "" {
			return &copies
		}
		return &own
	}
	for i := range all {
		e := &all[i]
		e.Size += summary.Size(e.Path)
		r.Kept++
		r.KeptBytes += e.Size
		if isReadable(e) && notebook.Disposable(e.Path) == nil {
			*room(e) += e.Size
		}
	}
	for i := len(all) - 1; i >= 0; i-- { // the oldest comes last
		if e := &all[i]; rule.wants(e, *room(e), now) && r.take(e, dry) {
			*room(e) -= e.Size
		}
	}
	if !dry {
		r.failed = append(r.failed, summary.Sweep(dir, now))
	}
	return r, errors.Join(r.failed...)
}

// wants reports whether the rule lets a recording go while all that is left of its kind and
// may be deleted takes so many bytes.
func (r Rule) wants(e *record.Entry, left int64, now time.Time) bool {
	return r.Older > 0 && now.Sub(e.Modified) > r.Older || r.sized && left > r.Keep
}

// isReadable is false for what may be anything: a newer midwire can read it. A copy can be
// copied again.
func isReadable(e *record.Entry) bool { return e.Err == nil || record.IsCopy(e.Path) }

// take deletes one recording unless something speaks for it.
func (r *Result) take(e *record.Entry, dry bool) bool {
	switch {
	case e.Live:
		r.Live++
		return false
	case !isReadable(e):
		r.Unreadable++
		return false
	}
	var err error
	if dry {
		err = notebook.Disposable(e.Path)
	} else {
		err = notebook.Dispose(e.Path)
	}
	switch {
	case errors.Is(err, notebook.ErrLive):
		r.Live++
	case errors.Is(err, notebook.ErrNoted):
		r.Noted++
	case err != nil:
		r.failed = append(r.failed, fmt.Errorf("recording %s: %w", e.ID, err))
	default:
		r.Gone = append(r.Gone, *e)
		r.Bytes += e.Size
		r.Kept--
		r.KeptBytes -= e.Size
		return true
	}
	return false
}

// Stays says in words what stays, and why.
func (r *Result) Stays() string {
	text := Amount(r.Kept, r.KeptBytes)
	var why []string
	for _, w := range []struct {
		n   int
		why string
	}{{r.Live, "being written"}, {r.Noted, "named, marked or commented"}, {r.Unreadable, "not readable by this midwire"}} {
		if w.n > 0 {
			why = append(why, fmt.Sprintf("%d %s", w.n, w.why))
		}
	}
	if len(why) == 0 {
		return text
	}
	return text + " (kept at any age: " + strings.Join(why, ", ") + ")"
}

// Went says in words what was deleted, "" for nothing.
func (r *Result) Went() string {
	if len(r.Gone) == 0 {
		return ""
	}
	return Amount(len(r.Gone), r.Bytes)
}

// Amount is so many recordings in words.
func Amount(n int, bytes int64) string {
	if n == 1 {
		return "1 recording, " + Bytes(bytes)
	}
	return fmt.Sprintf("%d recordings, %s", n, Bytes(bytes))
}

// Total says how many recordings a folder has, and how many bytes they take.
// It opens none.
func Total(dir string) (n int, bytes int64, err error) {
	ids, err := record.Names(dir)
	for _, id := range ids {
		if info, err := os.Stat(record.File(dir, id)); err == nil {
			n, bytes = n+1, bytes+info.Size()
		}
	}
	return n, bytes, err
}

// AtStart applies the configured limits when a screen starts: it deletes what
// the rule lets go. Without a rule it says so when there is much. say is called
// once, or not at all.
func AtStart(dir string, rule Rule, now time.Time, say func(error)) {
	if rule.IsZero() {
		if _, bytes, err := Total(dir); err == nil && bytes > Large {
			say(fmt.Errorf("recordings take %s in %s: midwire prune deletes old ones; prune-older in the configuration deletes them at each start", Bytes(bytes), dir))
		}
		return
	}
	r, err := Run(dir, rule, now, false)
	switch {
	case err != nil:
		say(err)
	case len(r.Gone) > 0:
		say(fmt.Errorf("deleted %s as configured; %s remain", r.Went(), r.Stays()))
	}
}
