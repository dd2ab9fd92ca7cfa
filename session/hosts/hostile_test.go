package hosts

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"midwire/session/record"
)

// hostile plays a feed to a receiver, and returns what the folder then has.
func hostile(t testing.TB, feed io.Reader) (names []string, told string, err error) {
	top := t.TempDir()
	dir := filepath.Join(top, "a", "recordings")
	says := &said{}
	r := &Receiver{Host: "h", Options: Options{Dir: dir, Say: says.say, Max: 1 << 20}}
	err = r.receive(context.Background(), feed, io.Discard, func() {})
	if r.box != nil {
		r.box.close()
	}
	_ = filepath.WalkDir(top, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			names = append(names, rel)
		}
		return err
	})
	return names, says.String(), err
}

const greeting = `{"feed":1,"version":"1"}` + "\n"

func TestHostileFeeds(t *testing.T) {
	header := `{"midwire":1,"id":"x","label":"\u001b[2J"}` + "\n"
	offer := `{"recording":{"id":"x","live":true}}` + "\n" + `{"listed":true}` + "\n"
	chunk := func(id string, at int, data string) string {
		return fmt.Sprintf(`{"append":%q,"at":%d,"len":%d}`+"\n%s", id, at, len(data), data)
	}
	for name, feed := range map[string]string{
		"path":        greeting + `{"recording":{"id":"../../x","live":true}}`,
		"absolute":    greeting + `{"recording":{"id":"/tmp/x","live":true}}`,
		"other host":  greeting + `{"recording":{"id":"x@web2","live":true}}`,
		"dot":         greeting + `{"recording":{"id":".key","live":true}}`,
		"nul":         greeting + `{"recording":{"id":"a\u0000b","live":true}}`,
		"long":        greeting + `{"recording":{"id":"` + strings.Repeat("a", 65) + `","live":true}}`,
		"unasked":     greeting + offer + chunk("../y", 0, header) + chunk("y", 0, header),
		"gap":         greeting + offer + chunk("x", 5, header),
		"negative":    greeting + offer + `{"append":"x","at":-1,"len":5}` + "\nabcde",
		"huge chunk":  greeting + offer + `{"append":"x","len":2000000000}` + "\n",
		"no header":   greeting + offer + chunk("x", 0, "#!/bin/sh\n"),
		"long line":   greeting + strings.Repeat("a", maxLine+1) + "\n",
		"no greeting": strings.Repeat("hello\n", noise+1),
		"other":       `{"feed":2,"version":"\u001b]0;x\u0007"}` + "\n",
		"early":       greeting + `{"recording":{"id":"x","live":true}}` + "\n" + chunk("x", 0, header),
		"removed":     greeting + offer + `{"removed":"\u001b[2J"}` + "\n" + `{"replaced":"../x"}` + "\n" + `{"end":"y"}` + "\n",
	} {
		names, told, err := hostile(t, strings.NewReader(feed))
		if err == nil || len(names) > 0 {
			t.Errorf("%s: %v, %v", name, err, names)
		}
		if strings.ContainsFunc(told+err.Error(), func(c rune) bool { return c < ' ' && c != '\n' }) {
			t.Errorf("%s says %q %v", name, told, err)
		}
	}
	// More than allowed: the recording ends there.
	var feed strings.Builder
	feed.WriteString(greeting + offer + chunk("x", 0, header))
	for at := len(header); at < 2<<20; at += 1 << 16 {
		feed.WriteString(chunk("x", at, strings.Repeat("x", 1<<16)))
	}
	names, told, _ := hostile(t, strings.NewReader(feed.String()))
	if !slices.Equal(names, []string{"x@h.jsonl"}) || !strings.Contains(told, errTooMuch.Error()) {
		t.Errorf("%v %s", names, told)
	}
}

// TestOffersWithoutEnd: what is offered, removed and never sent is not remembered for ever.
func TestOffersWithoutEnd(t *testing.T) {
	feed := strings.Builder{}
	feed.WriteString(greeting)
	for i := range maxRecordings + 1 {
		fmt.Fprintf(&feed, `{"recording":{"id":"x%d","live":true}}`+"\n"+`{"removed":"x%d"}`+"\n", i, i)
	}
	if _, _, err := hostile(t, strings.NewReader(feed.String())); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Error(err)
	}
}

// TestLinkInTheWay: what lies in place of a copy and is none of ours is not written to.
func TestLinkInTheWay(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(t.TempDir(), "target")
	if err := os.WriteFile(target, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, record.File(dir, "x@h")); err != nil {
		t.Skip(err)
	}
	if c, err := record.OpenCopy(dir, "x@h"); err == nil {
		t.Error("a link was followed", c)
	}
	if text, _ := os.ReadFile(target); string(text) != "mine" {
		t.Errorf("%q", text)
	}
}

func FuzzReceive(f *testing.F) {
	f.Add(greeting + `{"recording":{"id":"x","live":true}}` + "\n" + `{"listed":true}` + "\n" + `{"append":"x","len":13}` + "\n" + `{"midwire":1}` + "\n")
	f.Add(greeting + `{"pong":1,"now":"2026-11-21T10:15:00Z"}` + "\n" + `{"recording":{"id":"Ⅷ"}}` + "\n")
	f.Fuzz(func(t *testing.T, feed string) {
		names, told, _ := hostile(t, strings.NewReader(feed))
		for _, name := range names {
			id, ok := strings.CutSuffix(name, "@h.jsonl")
			if !ok || CheckName(id) != nil {
				t.Errorf("there is %q", name)
			}
		}
		if strings.ContainsFunc(told, func(c rune) bool { return c < ' ' && c != '\n' }) {
			t.Errorf("%q", told)
		}
	})
}

func FuzzFeed(f *testing.F) {
	f.Add(`{"want":"x","at":0,"proof":""}` + "\n" + `{"ping":5}` + "\n" + `{"stop":"x"}` + "\n")
	f.Add(`{"want":"../../../etc/passwd"}` + "\n" + `{"want":"x","at":-5}` + "\n")
	top := f.TempDir()
	dir := filepath.Join(top, "recordings")
	for path, text := range map[string]string{"x": `{"midwire":1,"id":"x"}`, "../y": `{"midwire":1,"id":"SECRET"}`} {
		if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(record.File(dir, path), []byte(text+"\n"), 0o600)); err != nil {
			f.Fatal(err)
		}
	}
	f.Add(`{"want":"../y","proof":"` + emptyProof + `"}` + "\n" + `{"want":"x","proof":"` + emptyProof + `"}` + "\n")
	f.Fuzz(func(t *testing.T, asks string) {
		var out bytes.Buffer
		s := Feed{Dir: dir, folder: newFolder(dir), out: bufio.NewWriter(&out)}
		s.enc = json.NewEncoder(s.out)
		if err := s.greet(); err != nil {
			t.Fatal(err)
		}
		for lines := bufio.NewReaderSize(strings.NewReader(asks), maxLine); ; {
			var r request
			if readLine(lines, &r) != nil {
				break
			}
			if err := s.answer(r); err != nil {
				t.Fatal(err)
			}
			if _, err := s.step(make([]byte, maxChunk)); err != nil {
				t.Fatal(err)
			}
		}
		for _, one := range s.tails {
			one.file.Close()
		}
		if strings.Contains(out.String(), "SECRET") {
			t.Error("it serves another file")
		}
	})
}

var emptyProof = func() string { of, _ := proof(strings.NewReader(""), 0); return of }()

func TestClocks(t *testing.T) {
	at := time.Unix(1000, 0)
	var c clock
	for _, step := range []struct {
		back, ahead time.Duration
		want        string
	}{
		{200 * time.Millisecond, 3 * time.Second, "its clock is 3s ahead of this one (± 100ms)"},
		{20 * time.Millisecond, 3050 * time.Millisecond, ""},
		{20 * time.Millisecond, 3050 * time.Millisecond, ""},
		{2 * time.Second, 4 * time.Second, ""},
		{20 * time.Millisecond, -time.Hour, "its clock is 1h0m0s behind this one (± 10ms)"},
		{20 * time.Millisecond, 0, "its clock agrees with this one (± 10ms)"},
		{-time.Second, 0, ""},
	} {
		at = at.Add(time.Minute)
		if got := c.measure(at, at.Add(step.back), at.Add(step.back/2+step.ahead)); got != step.want {
			t.Errorf("%v, %v: %q, want %q", step.back, step.ahead, got, step.want)
		}
	}
}
