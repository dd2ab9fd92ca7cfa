package gate

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// controlled is a gate with a control socket of its own.
type controlled struct {
	*world
	http *http.Client
	base string
}

func newControlled(t *testing.T, tap string) *controlled {
	t.Helper()
	c := &controlled{world: newWorld(t, tap)}
	dir, err := os.MkdirTemp("", "gate")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := NewSocket(filepath.Join(dir, "run"))
	served := make(chan error, 1)
	go func() { served <- s.Serve(c.g) }()
	t.Cleanup(func() {
		s.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	for {
		if at, err := Reach(filepath.Join(dir, "run"), s.Address); err == nil {
			c.http, c.base = at.http, at.base
			if resp, err := c.http.Get(c.base + "/state"); err == nil {
				resp.Body.Close()
				break
			}
		}
		runtime.Gosched()
	}
	if info, err := os.Stat(s.path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	return c
}

func (c *controlled) call(method, path, body string) (int, string) {
	c.t.Helper()
	r, _ := http.NewRequest(method, c.base+path, strings.NewReader(body))
	resp, err := c.http.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text)
}

// attach is a controller: it returns its lease, what it is told, and what ends it.
func (c *controlled) attach() (lease string, told *bufio.Scanner, leave func()) {
	c.t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	r, _ := http.NewRequestWithContext(ctx, http.MethodGet, c.base+"/events", nil)
	resp, err := c.http.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	told = bufio.NewScanner(resp.Body)
	told.Scan()
	var first struct{ Lease string }
	if err := json.Unmarshal(told.Bytes(), &first); err != nil || first.Lease == "" {
		c.t.Fatalf("%q, %v", told.Text(), err)
	}
	leave = func() { stop(); resp.Body.Close() }
	c.t.Cleanup(leave)
	return first.Lease, told, leave
}

// TestControllerGone: one that leaves has everything that it held released, in order;
// another one keeps its own.
func TestControllerGone(t *testing.T) {
	c := newControlled(t, "stdio")
	lease, _, leave := c.attach()
	other, told, _ := c.attach()
	if status, text := c.call("PUT", "/arm?lease="+lease, "tool:a => hold"); status != 200 {
		t.Fatal(text)
	}
	if status, text := c.call("PUT", "/arm?lease="+other, "tool:b => hold"); status != 200 {
		t.Fatal(text)
	}
	c.feed(up, toolCall(1, "a")+"\n"+toolCall(2, "b")+"\n"+toolCall(3, "a")+"\n", 1000)
	for !strings.Contains(told.Text(), toolJSON(3)) && told.Scan() { // both see all
	}
	leave()
	c.eventually(t, up, toolCall(1, "a")+"\n"+toolCall(3, "a")+"\n")
	if s := c.g.Snapshot(); len(s.Held) != 1 || len(s.Armed) != 1 {
		t.Errorf("%+v", s)
	}
	if status, _ := c.call("PUT", "/arm?lease="+lease, "tool:c => hold"); status != http.StatusGone {
		t.Errorf("a lease that has ended: %d", status)
	}
}

func toolJSON(id int) string { return `"message_id":"` + string(rune('0'+id)) + `"` }

// TestDecisions: what can be done with a held message, with curl.
func TestDecisions(t *testing.T) {
	c := newControlled(t, "stdio")
	if status, text := c.call("PUT", "/arm", "=> hold"); status != 400 || !strings.Contains(text, "lease") {
		t.Errorf("%d %s", status, text)
	}
	lease, _, _ := c.attach()
	if status, text := c.call("PUT", "/arm?lease="+lease, "dir:c2s => hold\nlat>5s => hold"); status != 400 || !strings.Contains(text, `"line":2`) {
		t.Errorf("%d %s", status, text)
	}
	if status, text := c.call("PUT", "/arm?lease="+lease, "dir:c2s => hold"); status != 200 {
		t.Fatal(text)
	}
	for i := 1; i <= 5; i++ {
		c.feed(up, toolCall(i, "a")+"\n", 1000)
	}
	var ids []string
	for _, h := range c.g.Snapshot().Held {
		ids = append(ids, strconv.Itoa(h.ID))
	}
	steps := []string{
		"/edit?id=" + ids[0], toolCall(1, "edited"), "/release?id=" + ids[0], "",
		"/drop?id=" + ids[1], "", "/answer?id=" + ids[2], `{"content":[]}`,
		"/release?id=" + ids[3], "", "/edit?id=" + ids[4], "{}", "/release?as-received&id=" + ids[4], "",
		"/inject?to=client", `{"jsonrpc":"2.0","method":"notifications/x"}`,
	}
	for i := 0; i < len(steps); i += 2 {
		if status, text := c.call("POST", steps[i], steps[i+1]); status != 200 {
			t.Errorf("%s: %d %s", steps[i], status, text)
		}
	}
	if status, text := c.call("POST", "/duplicate?id="+ids[4], ""); status != 400 || !strings.Contains(text, "nothing like") {
		t.Errorf("an order that is none: %d %s", status, text)
	}
	if status, _ := c.call("POST", "/release?id="+ids[0], ""); status != 404 {
		t.Errorf("released twice: %d", status)
	}
	want := toolCall(1, "edited") + "\n" + toolCall(4, "a") + "\n" + toolCall(5, "a") + "\n"
	c.eventually(t, up, want)
	c.eventually(t, down, `{"jsonrpc":"2.0","id":3,"result":{"content":[]}}`+"\n"+`{"jsonrpc":"2.0","method":"notifications/x"}`+"\n")
	for _, what := range []string{"edit", "release", "drop", "answer", "inject"} {
		if !strings.Contains(strings.Join(c.told, "\n"), `"what":"`+what+`"`) {
			t.Errorf("%s is not recorded", what)
		}
	}
}

// TestStrangers: a page of a browser, and who has not the secret, is refused.
func TestStrangers(t *testing.T) {
	h := New("http").Handler("secret")
	for _, fields := range []map[string]string{
		{}, {"Authorization": "Bearer wrong"}, {"Authorization": "Bearer secret", "Origin": "http://localhost"},
	} {
		r, _ := http.NewRequest("GET", "/state", nil)
		for k, v := range fields {
			r.Header.Set(k, v)
		}
		w := &answerer{header: http.Header{}}
		if h.ServeHTTP(w, r); w.status != http.StatusForbidden {
			t.Errorf("%v: %d", fields, w.status)
		}
	}
}

type answerer struct {
	header http.Header
	status int
}

func (a *answerer) Header() http.Header         { return a.header }
func (a *answerer) Write(p []byte) (int, error) { return len(p), nil }
func (a *answerer) WriteHeader(status int)      { a.status = status }

// TestDecisionsThatCannotBe: what was held stays held as it was, and the rules that
// could not be replaced stay armed.
func TestDecisionsThatCannotBe(t *testing.T) {
	w := newWorld(t, "http", "kind:response => hold")
	w.feed(up, post(toolCall(1, "a")), 1000)
	w.eventually(t, up, post(toolCall(1, "a")))
	w.feed(down, reply(result(1, "x")), 1000)
	held := w.g.Snapshot().Held
	if len(held) != 1 {
		t.Fatalf("%+v", held)
	}
	if err := w.g.Obey(Order{Do: "answer", ID: held[0].ID, Body: "{"}); err == nil {
		t.Error("what is no JSON is a response")
	}
	if err := w.g.Obey(Order{Do: "arm", Body: "=> drop", Lease: "c9"}); err == nil || len(w.g.Snapshot().Armed) != 1 {
		t.Error(err)
	}
	if s := w.g.Snapshot(); len(s.Held) != 1 || s.Held[0].Edited {
		t.Errorf("%+v", s)
	}
	if err := w.g.Obey(Order{Do: "answer", ID: held[0].ID, Body: `{"y":1}`}); err != nil {
		t.Error(err)
	}
	w.eventually(t, down, reply(`{"jsonrpc":"2.0","id":1,"result":{"y":1}}`))
}

// TestDecisionsAboutWhatWasEdited: it is released as it was edited; what no one can
// answer stays held, with its edit.
func TestDecisionsAboutWhatWasEdited(t *testing.T) {
	w := newWorld(t, "stdio", "dir:c2s => hold")
	note := `{"jsonrpc":"2.0","method":"notifications/a"}`
	w.feed(up, toolCall(1, "a")+"\n"+note+"\n", 1000)
	held := w.g.Snapshot().Held
	for i, text := range []string{toolCall(1, "edited"), strings.Replace(note, "/a", "/b", 1)} {
		if err := w.g.Obey(Order{Do: "edit", ID: held[i].ID, Body: text}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.g.Obey(Order{Do: "answer", ID: held[1].ID, Body: "{}"}); err == nil || !strings.Contains(err.Error(), "only a request") {
		t.Error(err)
	}
	if s := w.g.Snapshot(); len(s.Held) != 2 || !s.Held[1].Edited {
		t.Errorf("%+v", s.Held)
	}
	if err := w.g.Obey(Order{Do: "release", ID: held[0].ID}); err != nil {
		t.Fatal(err)
	}
	w.eventually(t, up, toolCall(1, "edited")+"\n")
	if err := w.g.Obey(Order{Do: "release", ID: held[1].ID}); err != nil {
		t.Fatal(err)
	}
	w.eventually(t, up, toolCall(1, "edited")+"\n"+strings.Replace(note, "/a", "/b", 1)+"\n")
}

// TestNoOneDecides: a held message is forwarded after 60 s, with its edits and whoever
// holds it; its controller keeps its lease, and the next message is held as well.
func TestNoOneDecides(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "stdio")
		lease, err := w.g.Lease()
		if err != nil {
			t.Fatal(err)
		}
		if err := w.g.Obey(Order{Do: "arm", Body: "dir:c2s => hold", Lease: lease}); err != nil {
			t.Fatal(err)
		}
		w.feed(up, toolCall(1, "a")+"\n", 1000)
		held := w.g.Snapshot().Held
		if len(held) != 1 || held[0].LeftMS != time.Minute.Milliseconds() {
			t.Fatalf("%+v", held)
		}
		if err := w.g.Obey(Order{Do: "edit", ID: held[0].ID, Body: toolCall(1, "b")}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute - 1)
		synctest.Wait()
		if got := w.sent(up); got != "" {
			t.Errorf("%q is released early", got)
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if got := w.sent(up); got != toolCall(1, "b")+"\n" {
			t.Errorf("%q after a minute", got)
		}
		if told := strings.Join(w.told, "\n"); !strings.Contains(told, "no one decided within 60 s") {
			t.Errorf("not recorded: %s", told)
		}
		w.feed(up, toolCall(2, "a")+"\n", 1000)
		if s := w.g.Snapshot(); len(s.Held) != 1 || len(s.Leases) != 1 {
			t.Errorf("%+v", s)
		}
		w.conn.Close()
	})
}
