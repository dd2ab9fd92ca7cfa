package library

import (
	"strings"

	"midwire/session"
	"midwire/session/mcp"
	"midwire/session/words"
)

const (
	maxWords  = 240     // bytes kept of each half of a row's words
	pageBytes = 1 << 16 // of a wordBook; a position is a page and a place on it
)

// Texts put a row into words: what was asked of whom, and what came of it.
type Texts struct {
	Target, Result string
	name           uint8 // bytes of Target that are the name of what is called
}

// Parts are the two parts of the target: the tool, prompt or resource that is
// called, "" for none, and what else there is to say of it, such as arguments.
func (w *Texts) Parts() (name, more string) {
	return w.Target[:w.name], strings.TrimPrefix(w.Target[w.name:], " ")
}

// RowTexts keeps the words of many rows on few pages, so that a million of them
// are a few objects to the garbage collector and not two million.
type RowTexts struct {
	pages []*strings.Builder // none grows beyond its page: what was written stays where it is
	rows  []textsAt
}

// textsAt is where the words of a row are.
type textsAt struct {
	target, result       uint32
	targetLen, resultLen uint8
	name                 uint8 // as in Texts
}

// Len is how many rows have words, empty ones included.
func (b *RowTexts) Len() int { return len(b.rows) }

// add gives one more row empty words.
func (b *RowTexts) add() { b.rows = append(b.rows, textsAt{}) }

// Of returns the texts of a row, which must have been added.
func (b *RowTexts) Of(row int) Texts {
	at := b.rows[row]
	return Texts{b.read(at.target, at.targetLen), b.read(at.result, at.resultLen), at.name}
}

func (b *RowTexts) setTarget(row int, name, more string) {
	at := &b.rows[row]
	name = strings.TrimSpace(name)
	at.target, at.targetLen = b.write(strings.TrimSpace(name + " " + more))
	at.name = uint8(min(len(name), int(at.targetLen)))
}

func (b *RowTexts) setResult(row int, s string) {
	at := &b.rows[row]
	at.result, at.resultLen = b.write(s)
}

func (b *RowTexts) read(at uint32, n uint8) string {
	if n == 0 {
		return ""
	}
	from := at % pageBytes
	return b.pages[at/pageBytes].String()[from : from+uint32(n)]
}

// write keeps the beginning of s. A book that is full, after four gigabytes,
// keeps no more.
func (b *RowTexts) write(s string) (at uint32, n uint8) {
	more := ""
	if len(s) > maxWords {
		s, more = words.Clip(s, maxWords), "…"
	}
	size := len(s) + len(more)
	if size == 0 {
		return 0, 0
	}
	last := len(b.pages) - 1
	if last < 0 || b.pages[last].Len()+size > pageBytes {
		if last++; last == 1<<16 {
			return 0, 0
		}
		p := &strings.Builder{}
		p.Grow(pageBytes)
		b.pages = append(b.pages, p)
	}
	p := b.pages[last]
	at = uint32(last*pageBytes + p.Len())
	p.WriteString(s)
	p.WriteString(more)
	return at, uint8(size)
}

// Unfinished says whether something of a row is still to come.
func Unfinished(row *session.Row) bool {
	streams := row.Kind == session.RowHTTP && row.Ending == session.Served
	return row.End == 0 && (streams || row.Ending.Open())
}

// IsStream says whether a row stands for a stream that stays open, and not for
// work: a GET, or the subscription of 2026-07-28.
func (r *Recording) IsStream(row *session.Row) bool {
	switch row.Kind {
	case session.RowHTTP:
		return strings.HasPrefix(r.Tracker.Name(row.Name), "GET")
	case session.RowCall:
		return mcp.StaysOpen(r.Tracker.Name(row.Name))
	}
	return false
}
