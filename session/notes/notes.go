// Package notes models users' notes about a recording: marks and comments on its
// messages, a name for it and for its sessions. Notes are kept next to the
// recording, which itself never changes. docs/recording-format.md describes
// their file.
//
// Every entry has its time, so that the notes of several viewers can be merged:
// the latest version of an entry wins.
package notes

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"midwire/session"
	"midwire/session/words"
)

// ErrNotKept is wrapped by a keeper of notes when they can be kept nowhere:
// the recording came from standard input, or its folder cannot be written.
var ErrNotKept = errors.New("notes are kept only until midwire exits")

// Kind says what an entry is.
type Kind uint8

// The kinds of entry.
const (
	Name    Kind = iota // of the recording
	Session             // name of a session
	Mark
	Comment
	Proof // the result of probing a request, as Asked
	kinds
)

// Key says what an entry is about. A session goes by the frame that began its
// first row, a message by its frame and its position in the batch it came in.
// Both hold whatever later versions make of a recording.
type Key struct {
	Kind  Kind
	Frame uint64
	Part  uint16
}

// Entry is one note. Text is empty when it was taken away: that is kept, so
// that the notes of another writer do not bring it back. The text of a mark is
// "*".
type Entry struct {
	Text string
	At   time.Time
	more members
}

// Marked is the text of a mark.
const Marked = "*"

// MaxText is the maximum length of a text, in bytes.
const MaxText = 2000

// Notes are the notes of one recording. The zero value is not usable; New makes
// one. One goroutine at a time may use it.
type Notes struct {
	entries map[Key]Entry
	odd     [kinds]members // entries whose key or form is not known
	more    members        // of the file
}

// New returns notes without an entry.
func New() *Notes { return &Notes{entries: map[Key]Entry{}} }

// RowKey is the key of a mark or a comment on a row.
func RowKey(kind Kind, row *session.Row) Key {
	return Key{kind, uint64(row.Request), row.Batch}
}

// SessionKey is the key of the name of a session; ok is false for one without
// a row.
func SessionKey(t *session.Tracker, s *session.Session) (k Key, ok bool) {
	if len(s.Rows()) == 0 {
		return k, false
	}
	k = RowKey(Session, t.Row(int(s.Rows()[0])))
	return k, true
}

// Asked is the result of probing a request (midwire probe). Its texts may
// hold what a peer said.
type Asked struct {
	Says     string   `json:"says"`
	Side     string   `json:"side,omitempty"` // responsible: client, server, gateway; "" for not known
	Certain  bool     `json:"certain,omitempty"`
	Confirms []string `json:"confirms,omitempty"` // rules whose findings about the request are certain by it
	About    []uint64 `json:"about,omitempty"`    // frames of what decided, besides the request
}

// SetAsked records the result of probing a request.
func (n *Notes) SetAsked(row *session.Row, a Asked, at time.Time) {
	a.Says = words.Clip(a.Says, MaxText/2) // also where each byte is escaped it is a note
	if text, err := marshal(a); err == nil {
		n.Set(RowKey(Proof, row), strings.TrimSpace(string(text)), at)
	}
}

// Asked returns the results of probed requests, by their keys.
func (n *Notes) Asked() map[Key]Asked {
	all := map[Key]Asked{}
	for _, k := range n.Of(Proof) {
		var a Asked
		if json.Unmarshal([]byte(n.Text(k)), &a) == nil && a.Says != "" {
			all[k] = a
		}
	}
	return all
}

// Text returns the text of an entry, "" when there is none.
func (n *Notes) Text(k Key) string { return n.entries[k].Text }

// Set writes an entry; the empty text takes it away. A clock that went back
// does not make it older than what it replaces.
func (n *Notes) Set(k Key, text string, at time.Time) {
	text = words.Clip(strings.ToValidUTF8(text, "?"), MaxText)
	old := n.entries[k]
	if !at.After(old.At) {
		at = old.At.Add(1)
	}
	n.entries[k] = Entry{Text: text, At: at, more: old.more}
}

// Count says how many entries of a kind there are.
func (n *Notes) Count(kind Kind) int {
	found := 0
	for k, e := range n.entries {
		if k.Kind == kind && e.Text != "" {
			found++
		}
	}
	return found
}

// Of are the keys of the entries of a kind, in order.
func (n *Notes) Of(kind Kind) []Key {
	return slices.DeleteFunc(n.keys(), func(k Key) bool { return k.Kind != kind || n.Text(k) == "" })
}

// Total returns the number of entries.
func (n *Notes) Total() int {
	all := 0
	for k := range kinds {
		all += n.Count(k)
	}
	return all
}

// Empty reports whether there is no note, in no form that a later
// midwire may know either.
func (n *Notes) Empty() bool {
	return n.Total() == 0 && len(n.more) == 0 &&
		!slices.ContainsFunc(n.odd[:], func(m members) bool { return len(m) > 0 })
}

// Clone returns a copy that shares nothing that changes.
func (n *Notes) Clone() *Notes {
	c := &Notes{entries: maps.Clone(n.entries), more: maps.Clone(n.more)}
	for i := range n.odd {
		c.odd[i] = maps.Clone(n.odd[i])
	}
	return c
}

// Merge takes in what others wrote and reports whether that changed anything. Of
// two entries the later one counts, of two of the same time the greater text,
// so that every writer gets the same result. What is not understood is taken
// from other.
func (n *Notes) Merge(other *Notes) (changed bool) {
	for k, theirs := range other.entries {
		mine, ok := n.entries[k]
		if ok && cmp.Or(mine.At.Compare(theirs.At), cmp.Compare(mine.Text, theirs.Text)) >= 0 {
			continue
		}
		n.entries[k] = theirs
		changed = true
	}
	n.more = n.more.with(other.more)
	for i := range n.odd {
		n.odd[i] = n.odd[i].with(other.odd[i])
	}
	return changed
}

// keys are the keys of all entries in order.
func (n *Notes) keys() []Key {
	return slices.SortedFunc(maps.Keys(n.entries), func(a, b Key) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Frame, b.Frame), cmp.Compare(a.Part, b.Part))
	})
}
