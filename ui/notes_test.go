package ui

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"midwire/session/notes"
	"midwire/ui/internal/scenes"
)

// fakeNotebook keeps notes in memory.
type fakeNotebook struct {
	mu      sync.Mutex
	kept    map[string]*notes.Notes // guarded by mu, as all below
	failed  map[string]error
	saves   int
	refuse  error
	outside bool
	deleted []string
}

func newNotebook() *fakeNotebook {
	return &fakeNotebook{kept: map[string]*notes.Notes{}, failed: map[string]error{}}
}

func (b *fakeNotebook) Load(rec string) (*notes.Notes, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.failed[rec]; err != nil {
		return nil, err
	}
	if n := b.kept[rec]; n != nil {
		return copied(n), nil
	}
	return notes.New(), nil
}

// copied is what is read of a file that holds n.
func copied(n *notes.Notes) *notes.Notes {
	data, err := n.Encode()
	if err != nil {
		panic(err)
	}
	again, err := notes.Parse(data)
	if err != nil {
		panic(err)
	}
	return again
}

func (b *fakeNotebook) Save(rec string, changes notes.Changes) (*notes.Notes, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.refuse != nil {
		return nil, b.refuse
	}
	b.saves++
	if b.kept[rec] == nil {
		b.kept[rec] = notes.New()
	}
	b.kept[rec].Apply(changes)
	return copied(b.kept[rec]), nil
}

func (b *fakeNotebook) Find(rec string) (string, int64, bool, error) {
	return "/home/u/recordings/" + rec + ".jsonl", 4321, b.outside, nil
}

func (b *fakeNotebook) Delete(rec, path string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.refuse != nil {
		return b.refuse
	}
	b.deleted = append(b.deleted, path)
	return nil
}

// set writes a note as another viewer would.
func (b *fakeNotebook) set(rec string, k notes.Key, text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.kept[rec] == nil {
		b.kept[rec] = notes.New()
	}
	b.kept[rec].Apply(notes.Changes{k: text})
}

func TestCommentsAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newNotebook()
		d := drive(t, lively(), Options{Notebook: b}, 120, 36)
		d.press("[", ";")
		d.want("; ", "#23 prompts/get", "a comment on this message")
		d.typed("ask the server people")
		d.press("enter")
		d.want(" →;✗ prompts/get", "; ask the server people")
		d.press("k")
		d.wantNot("; ask the server people")
		if n := b.kept["files"]; n == nil || n.Count(notes.Comment) != 1 {
			t.Fatalf("kept: %+v", b.kept)
		}
		d.press("j", ";", "x", "esc") // changed its mind
		d.want("; ask the server people")
		d.press(";", "ctrl+u", "enter") // takes it away
		d.wantNot("ask the server people")
	})
}

// TestAnotherViewer: what somebody else wrote is there when the recording is
// opened again, and what is written here does not undo it.
func TestAnotherViewer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newNotebook()
		b.set("old", notes.Key{}, "the old one")
		d := drive(t, lively(), Options{Notebook: b}, 160, 40)
		d.press("1")
		d.want("the old one")
		b.set("old", notes.Key{}, "renamed elsewhere")
		b.set("old", notes.Key{Kind: notes.Comment, Frame: 33}, "theirs")
		d.press("1", "G", "enter", "2", "g", "j", ";", "o", "enter")
		d.want("renamed elsewhere", ";✓ tools/list")
		if n := b.kept["old"]; n.Text(notes.Key{Kind: notes.Comment, Frame: 33}) != "theirs" || n.Count(notes.Comment) != 2 {
			t.Error("a note was lost")
		}
	})
}

func TestNotesThatCannotBeKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newNotebook()
		b.refuse = fmt.Errorf("%w: permission denied", notes.ErrNotKept)
		d := drive(t, lively(), Options{Notebook: b}, 120, 36)
		d.press("[", ";", "o", "enter")
		d.want("notes are kept only until midwire exits: permission denied", "→;✗ prompts/get")
		d.press("k", ";", "o", "enter")
		d.wantNot("until midwire ends")
		d.want("→;✗ delete_file")

		b = newNotebook()
		b.refuse = errors.New("no space left")
		d = drive(t, lively(), Options{Notebook: b}, 120, 36)
		d.press("[", ";", "o", "enter")
		d.want("no space left")
		b.refuse = nil
		d.press("k", ";", "o", "enter")
		if b.kept["files"].Count(notes.Comment) != 2 {
			t.Error("what could not be kept at first is not kept")
		}

		b = newNotebook()
		b.failed["files"] = fmt.Errorf("/r/files.notes.json: no notes of midwire; the file is unchanged")
		d = drive(t, lively(), Options{Notebook: b}, 120, 36)
		d.want("the file is unchanged")
		d.press("[", ";", "o", "enter")
		d.want("→;✗ prompts/get")
		if b.saves != 0 {
			t.Error("damaged notes were written over")
		}
	})
}

func TestNotesWithoutANotebook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 120, 36)
		d.press("[", ";")
		d.typed("hm")
		d.press("enter", "1", "G", "X")
		d.want("recordings cannot be deleted from here")
	})
}

func TestNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newNotebook()
		d := drive(t, lively(), Options{Notebook: b}, 160, 40)
		d.press("1", "N")
		d.typed("my files")
		d.press("enter")
		d.want("● my files claude-code", "files-server")
		d.press("j", "j", "N") // a session of the HTTP tap
		d.want("of the session")
		d.typed("the lost one")
		d.press("enter")
		d.want("○ the lost one cursor 1")
		d.press("2")
		d.want("pages ▸ the lost one ▸ messages")
		d.press("1", "N", "ctrl+u", "enter")
		d.want("○ cursor 1")
		d.wantNot("the lost one")
		d.press(",")
		d.want("of the recording")
		d.typed("all of it")
		d.press("enter", "2")
		d.want("all of it ▸ cursor 1 ▸ messages")
	})
}

func TestDelete(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newNotebook()
		s := lively()
		d := drive(t, s, Options{Notebook: b}, 120, 36)
		d.press("1", "X")
		d.want("can be deleted when its proxy has ended")
		d.press("G", "X")
		d.want("Delete this recording for good?", "/home/u/recordings/old.jsonl", "4.2kB", "keep it")
		golden(t, "delete-120x36", d.screen())
		d.press("enter")
		d.want("nothing was deleted", "YESTERDAY")
		b.outside = true
		d.press("X")
		d.want("The file is not in midwire's folder of recordings.")
		d.press("y")
		d.want("pages is deleted")
		d.wantNot("YESTERDAY")
		s.ch <- Batch{Recordings: []Recording{{ID: "old", Label: "pages", Tap: "http", Trouble: "was deleted"}}}
		d.send()
		d.wantNot("YESTERDAY")
		if strings.Join(b.deleted, " ") != "/home/u/recordings/old.jsonl" {
			t.Errorf("deleted: %v", b.deleted)
		}
	})
}

func TestDeleteTheLastOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeSource()
		s.recs["old"] = scenes.Stdio()
		s.ch <- Batch{Recordings: []Recording{{ID: "old", Label: "files", Tap: "stdio", Started: started()}}}
		d := drive(t, s, Options{Notebook: newNotebook()}, 80, 24)
		d.press("enter", "1", "X", "y")
		d.want("Nothing recorded yet")
		d.press("enter", "j", "!", "R", "d", "m", ";", "%", "'", "o", "esc")
	})
}

func TestNotesScreens(t *testing.T) {
	for name, keys := range map[string]string{
		"notes": "[", "comment": "[ ;", "sessions-filter": "[ 1 / c u r s o r space 1 . 9",
	} {
		screens(t, name, func(t *testing.T, w, h int) *driver {
			b := newNotebook()
			b.set("files", notes.Key{}, "the failing run")
			b.set("files", notes.Key{Kind: notes.Mark, Frame: 21}, notes.Marked)
			b.set("files", notes.Key{Kind: notes.Comment, Frame: 23}, "prompts were never declared: ask whose fault that is")
			d := drive(t, lively(), Options{Notebook: b}, w, h)
			d.press(strings.Fields(keys)...)
			return d
		})
	}
}

// What asking a server again came to is evidence as soon as the notes are read.
func TestProofsAreEvidence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		by, n := newNotebook(), notes.New()
		n.Apply(notes.Changes{{Kind: notes.Proof, Frame: 23}: `{"says":"The cause is that style is left out.","side":"server","known":true}`})
		by.kept["files"] = n
		d := drive(t, lively(), Options{Notebook: by}, 120, 60)
		d.moment()
		d.press("k")
		d.want("style is left out", "Side: the server")
	})
}
