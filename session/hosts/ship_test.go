package hosts

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"midwire/session/record"
	"midwire/session/record/redact"
)

// broker is a real server that can be stopped and started again with what it stored.
type broker struct {
	t    *testing.T
	opt  server.Options
	live *server.Server
}

func newBroker(t *testing.T) *broker {
	b := &broker{t: t, opt: server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true, MaxPayload: 64 << 10,
	}}
	b.start()
	t.Cleanup(b.stop)
	return b
}

func (b *broker) start() {
	opt := b.opt
	s, err := server.NewServer(&opt)
	if err != nil {
		b.t.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(30e9) {
		b.t.Fatal("the server does not come up")
	}
	b.live, b.opt.Port = s, opt.Port
}

func (b *broker) stop() { b.live.Shutdown(); b.live.WaitForShutdown() }

func (b *broker) connect(t *testing.T) jetstream.JetStream {
	t.Helper()
	conn, err := nats.Connect(b.live.ClientURL(), nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

func (b *broker) shipper(t *testing.T, homes, host string, to *said) *Shipper {
	return &Shipper{
		Options: Options{Dir: filepath.Join(homes, host, "recordings"), Say: to.say},
		Host:    host, Stream: "midwire", JS: b.connect(t),
	}
}

// background runs something until the test ends, or what it returns is called.
func background(t *testing.T, run func(context.Context) error) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := run(ctx); err != nil {
			t.Error(err)
		}
	}()
	stop = func() { cancel(); <-ended }
	t.Cleanup(stop)
	return stop
}

// TestShipThreeHosts: 1,000 frames a second each, the server is away for a while, and a
// shipper and the receiver are started again: nothing is lost, nothing comes twice.
func TestShipThreeHosts(t *testing.T) {
	b, homes, dir := newBroker(t), t.TempDir(), filepath.Join(t.TempDir(), "recordings")
	hosts := []string{"web1", "web2", "web3"}
	told := &said{}
	var proxies []*proxy
	var running sync.WaitGroup
	var stops []func()
	for _, host := range hosts {
		p := newProxy(t, homes, host, record.Options{})
		proxies = append(proxies, p)
		running.Go(func() { p.run(4 * time.Second) })
		stops = append(stops, background(t, b.shipper(t, homes, host, told).Ship))
	}
	path := proxies[0].copied(dir, "web1")
	drain := func() *Drain {
		return &Drain{Options: Options{Dir: dir, Say: told.say}, Stream: "midwire", JS: b.connect(t)}
	}
	stop := background(t, drain().Follow)
	until(t, "the beginning is copied", func() bool { return fileSize(path) > 10_000 })
	if !record.IsLive(path) {
		t.Error("the copy does not look live")
	}
	b.stop()
	stops[0]()
	stop()
	b.start()
	background(t, b.shipper(t, homes, "web1", told).Ship)
	background(t, drain().Follow)
	running.Wait()
	for i, p := range proxies {
		path := p.copied(dir, hosts[i])
		until(t, "the copy has ended", func() bool { return fileSize(path) == fileSize(p.Path()) && !record.IsLive(path) })
		p.sameAs(t, path)
	}
}

func (b *broker) drainOnce(t *testing.T, dir string, choice Choice) string {
	t.Helper()
	told := &said{}
	d := Drain{Options: Options{Dir: dir, Say: told.say, Once: true, Choice: choice}, Stream: "midwire", JS: b.connect(t)}
	if err := d.Follow(t.Context()); err != nil {
		t.Fatal(err)
	}
	return told.String()
}

// TestShipAgain: what was shipped is not shipped again, a copy that was deleted comes
// again, and what the stream has lost is said.
func TestShipAgain(t *testing.T) {
	b, homes, dir := newBroker(t), t.TempDir(), filepath.Join(t.TempDir(), "recordings")
	p := newProxy(t, homes, "h", record.Options{})
	p.say(5000)
	ship := func() {
		t.Helper()
		told := &said{}
		s := b.shipper(t, homes, "h", told)
		s.Once = true
		if err := s.Ship(t.Context()); err != nil || told.String() != "" {
			t.Fatal(err, told)
		}
	}
	stream := func() jetstream.StreamState {
		s, err := b.connect(t).Stream(t.Context(), "midwire")
		if err != nil {
			t.Fatal(err)
		}
		return s.CachedInfo().State
	}
	ship()
	first := stream()
	ship()
	if again := stream(); again.Msgs != first.Msgs || first.Msgs < 2 {
		t.Errorf("%d pieces, then %d", first.Msgs, again.Msgs)
	}
	b.drainOnce(t, dir, Choice{})
	p.say(1)
	p.Close()
	since := time.Now()
	ship()
	late := filepath.Join(t.TempDir(), "recordings") // reads only what came since, and so the rest of it
	b.drainOnce(t, late, Choice{Since: since})
	p.sameAs(t, p.copied(late, "h"))
	if told := b.drainOnce(t, late+"2", Choice{Since: time.Now().Add(time.Hour)}); told != "" {
		t.Error(told)
	}
	os.Remove(p.copied(dir, "h"))
	b.drainOnce(t, dir, Choice{})
	p.sameAs(t, p.copied(dir, "h"))
	b.drainOnce(t, dir, Choice{})
	p.sameAs(t, p.copied(dir, "h"))

	s, err := b.connect(t).Stream(t.Context(), "midwire")
	if err == nil {
		err = s.DeleteMsg(t.Context(), 1)
	}
	if err != nil {
		t.Fatal(err)
	}
	os.Remove(p.copied(dir, "h"))
	if told := b.drainOnce(t, t.TempDir()+"/r", Choice{}); !strings.Contains(told, "the stream has not kept all of it") {
		t.Errorf("%s", told)
	}
}

// TestShipNoSecrets: a recording that has them is not published.
func TestShipNoSecrets(t *testing.T) {
	b, homes, dir := newBroker(t), t.TempDir(), filepath.Join(t.TempDir(), "recordings")
	kept := newProxy(t, homes, "h", record.Options{Redact: redact.Options{Keep: true}})
	kept.say(5)
	kept.Close()
	masked := newProxy(t, homes, "h", record.Options{})
	masked.say(5)
	masked.Close()
	old := record.File(filepath.Join(homes, "h", "recordings"), "old") // nothing says what was masked in it
	if err := os.WriteFile(old, []byte(`{"midwire":1,"id":"old","tap":"stdio"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	told := &said{}
	s := b.shipper(t, homes, "h", told)
	s.Once = true
	if err := s.Ship(t.Context()); err != nil || !strings.Contains(told.String(), kept.ID()+" is not shipped: its header does not say that credentials are masked") {
		t.Errorf("%v %s", err, told)
	}
	b.drainOnce(t, dir, Choice{})
	if names, _ := record.Names(dir); !slices.Equal(names, []string{masked.ID() + "@h"}) {
		t.Errorf("%v", names)
	}
	s = b.shipper(t, homes, "h", told)
	s.Choice.IDs = []string{kept.ID()}
	if err := s.Ship(t.Context()); !errors.Is(err, errUnmasked) {
		t.Error(err)
	}
}

// TestForeignSubject: what another put at the end of a subject stops that recording alone.
func TestForeignSubject(t *testing.T) {
	b, homes, dir := newBroker(t), t.TempDir(), filepath.Join(t.TempDir(), "recordings")
	bad, good := newProxy(t, homes, "h", record.Options{}), newProxy(t, homes, "h", record.Options{})
	bad.Close()
	good.Close()
	told := &said{}
	s := b.shipper(t, homes, "h", told)
	if err := s.stream(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.JS.Publish(t.Context(), "midwire.h."+bad.ID(), []byte("x")); err != nil {
		t.Fatal(err)
	}
	s.Once = true
	if err := s.Ship(t.Context()); err != nil || !strings.Contains(told.String(), bad.ID()+" is not shipped any more: what another") {
		t.Error(err, told)
	}
	b.drainOnce(t, dir, Choice{})
	good.sameAs(t, good.copied(dir, "h"))
}

// TestHostilePublishers: what others write into the stream is no way out of the folder.
func TestHostilePublishers(t *testing.T) {
	b, top := newBroker(t), t.TempDir()
	dir := filepath.Join(top, "a", "recordings")
	js := b.connect(t)
	if err := (&Shipper{Stream: "midwire", JS: js}).stream(t.Context()); err != nil {
		t.Fatal(err)
	}
	empty, _ := proof(strings.NewReader(""), 0)
	send := func(subject, at, of, data string) {
		t.Helper()
		m := nats.NewMsg(subject)
		m.Header.Set(fieldAt, at)
		m.Header.Set(fieldProof, of)
		m.Data = []byte(data)
		if _, err := js.PublishMsg(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	header := `{"midwire":1,"id":"x"}` + "\n"
	for _, subject := range []string{"midwire.h./tmp/x", "midwire.../x.y", "midwire.h.a@b", "midwire.-h.x", "midwire.\x1b[2J.x", "midwire.h.\x1b[2J"} {
		if strings.Contains(subject, "..") {
			continue // no subject at all
		}
		send(subject, "0", empty, header)
	}
	send("midwire.h.number", "zero", empty, header)
	send("midwire.h.negative", "-5", empty, header)
	send("midwire.h.far", "9223372036854775807", empty, header)
	send("midwire.h.proof", "0", "x", header)
	send("midwire.h.script", "0", empty, "#!/bin/sh\n")
	send("midwire.h.good", "0", empty, header)
	send("midwire.h.good", "0", empty, `{"midwire":1,"id":"y"}`+"\nsecond")
	told := b.drainOnce(t, dir, Choice{})
	var files []string
	_ = filepath.WalkDir(top, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, filepath.Base(path))
		}
		return err
	})
	if !slices.Equal(files, []string{"good@h.jsonl"}) {
		t.Errorf("%q", files)
	}
	if strings.ContainsFunc(told, func(c rune) bool { return c < ' ' && c != '\n' }) {
		t.Errorf("%q", told)
	}
}
