package ui

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"midwire/ui/view/search"
)

// searchable is a source that finds texts.
type searchable struct{ *fakeSource }

func (s searchable) Search(_ context.Context, rec, text string, most int) (hits []search.Hit, err error) {
	for _, f := range s.recs[rec] {
		if before, after, ok := strings.Cut(string(f.Data), text); ok && len(hits) < most {
			hits = append(hits, search.Hit{N: f.N, T: f.T, Dir: f.Dir, Name: "line", Before: before, Text: text, After: after})
		}
	}
	return hits, nil
}

// TestSearchEverywhere: a text is found in recordings that were not read; enter reads one and goes
// to the message, esc comes back to what was found.
func TestSearchEverywhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, searchable{summarised()}, Options{Library: true}, 120, 36)
		d.press(`\`)
		d.want("search", "in all recordings", "enter search")
		d.typed("delete_file")
		d.press("enter")
		d.want("search ▸ “delete_file”", "recordings looked through", "TEXT", `"name":"delete_file"`)
		d.press("enter")
		d.want("▸ messages", "tools/call #21", "esc search")
		d.press("esc")
		d.want("search ▸ “delete_file”", "enter to the message")
		d.press("/")
		d.want("delete_file", "esc cancel")
		d.press("ctrl+u")
		d.typed("no such text")
		d.press("enter")
		d.want("No message contains this text.", "0 hits")
		d.press("esc")
		d.want("─ Sessions ─")
		d.press("ctrl+k")
		d.typed("EACCES")
		d.want("search all recordings for “EACCES”")
		d.press("enter")
		d.want("search ▸ “EACCES”", "permission denied")
	})
}
