// Package notes models users' notes about a recording: marks and comments on its
// messages, a name for it and for its sessions. Notes are kept next to the
// recording, which itself never changes. docs/recording-format.md describes
// their file.
//
// Several viewers may write: each applies its own Changes to what is in the file by then,
// so the last writer of an entry wins.
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

// Marked is the text of a mark.
const Marked = "*"

// MaxText is the maximum length of a text, in bytes.
const MaxText = 2000

// Notes are the notes of one recording. The zero value is not usable; New makes
// one. One goroutine at a time may use it.
type Notes struct{ texts map[Key]string }

// Changes are entries that were written; the empty text deletes one.
type Changes map[Key]string

// New returns notes without an entry.
func New() *Notes { return &Notes{map[Key]string{}} }

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
	Says  string    `json:"says"`
	Known bool      `json:"known,omitempty"` // the same request was answered both ways: Side is to be believed
	Side  string    `json:"side,omitempty"`  // responsible: client, server; "" for not known
	Tries int       `json:"tries,omitempty"` // sessions that it took
	At    time.Time `json:"at,omitzero"`
}

// SetAsked records the result of probing a request.
func (c Changes) SetAsked(row *session.Row, a Asked) {
	a.Says = words.Clip(a.Says, MaxText/2) // also where each byte is escaped it is a note
	if text, err := json.Marshal(a); err == nil {
		c[RowKey(Proof, row)] = string(text)
	}
}

// Asked returns the results of probed requests, by their keys.
func (n *Notes) Asked() map[Key]Asked {
	all := map[Key]Asked{}
	for _, k := range n.KeysOf(Proof) {
		var a Asked
		if json.Unmarshal([]byte(n.Text(k)), &a) == nil && a.Says != "" {
			all[k] = a
		}
	}
	return all
}

// Text returns the text of an entry, "" when there is none.
func (n *Notes) Text(k Key) string { return n.texts[k] }

// Apply makes changes, and reports whether that changed anything.
func (n *Notes) Apply(c Changes) (changed bool) {
	for k, text := range c {
		changed = n.set(k, text) || changed
	}
	return changed
}

func (n *Notes) set(k Key, text string) (changed bool) {
	text = words.Clip(strings.ToValidUTF8(text, "?"), MaxText)
	if changed = n.texts[k] != text; text == "" {
		delete(n.texts, k)
	} else {
		n.texts[k] = text
	}
	return changed
}

// Count returns the number of entries of a kind.
func (n *Notes) Count(kind Kind) int { return len(n.KeysOf(kind)) }

// KeysOf returns the keys of the entries of a kind, in order.
func (n *Notes) KeysOf(kind Kind) (keys []Key) {
	for k := range n.texts {
		if k.Kind == kind {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b Key) int {
		return cmp.Or(cmp.Compare(a.Frame, b.Frame), cmp.Compare(a.Part, b.Part))
	})
	return keys
}

// Total returns the number of entries.
func (n *Notes) Total() int { return len(n.texts) }

// Equal reports whether two have the same entries.
func (n *Notes) Equal(other *Notes) bool { return maps.Equal(n.texts, other.texts) }
