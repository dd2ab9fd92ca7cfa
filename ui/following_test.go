package ui

import (
	"fmt"
	"regexp"
	"testing"
	"testing/synctest"
	"time"

	"midwire/session/wire"
	"midwire/ui/internal/scenes"
)

var (
	titleNumber = regexp.MustCompile(`─ (?:. \S+  \S+ )?#(\d+)`)
	bodyNumber  = regexp.MustCompile(`stdio · .* · #(\d+)`)
)

// TestFollowingShowsOneMessage follows five clients that talk 20 times a second: in
// every picture title, selected row and body are of the same message.
func TestFollowingShowsOneMessage(t *testing.T) {
	for _, size := range [][2]int{{120, 36}, {80, 24}, {160, 45}} {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeSource()
			var tape scenes.Tape
			tape.Line(wire.ToServer, `{"jsonrpc":"2.0","id":0,"method":"ping"}`)
			s.recs["p"] = tape.Frames
			s.ch <- Batch{Recordings: []Recording{live("p")}, Frames: tagged("p", tape.Frames)}
			d := drive(t, s, Options{}, size[0], size[1])
			pictures := 0
			for i := range 60 {
				from := len(tape.Frames)
				for client := range 5 {
					id := 10*i + client + 1
					tape.At(int64(50*i+10*client)).Line(wire.ToServer, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"t%d","arguments":{"n":%d}}}`, id, client, id)
					tape.Line(wire.ToClient, `{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"result %d"}]}}`, id, id)
					s.recs["p"] = tape.Frames
				}
				s.ch <- Batch{Frames: tagged("p", tape.Frames[from:])}
				synctest.Wait()
				for len(d.ch) > 0 { // a picture after each message, not after all of them
					d.update(<-d.ch)
					synctest.Wait()
					same(t, d)
					pictures++
				}
				time.Sleep(50 * time.Millisecond)
			}
			if pictures < 60 {
				t.Errorf("only %d pictures", pictures)
			}
		})
	}
}

func same(t *testing.T, d *driver) {
	t.Helper()
	s := d.screen()
	id, _ := d.m.list.Selected()
	all := []string{fmt.Sprint(d.m.list.Rec.Tracker.Row(int(id)).Request)}
	for _, re := range []*regexp.Regexp{titleNumber, bodyNumber} {
		if m := re.FindStringSubmatch(s); m != nil {
			all = append(all, m[1])
		}
	}
	if len(all) != 3 || all[0] != all[1] || all[1] != all[2] {
		t.Fatalf("title, row and body are of %s:\n%s", fmt.Sprint(all), s)
	}
}
