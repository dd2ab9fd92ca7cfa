package hub

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"midwire/intercept"
	"midwire/session/record"
	"midwire/session/wire"
	"midwire/session/words"
)

// graceAtEnd is how long a process may take to end after its input was closed.
// Then it is asked to end, and then killed with its descendants.
const graceAtEnd = 2 * time.Second

// process is a server on pipes, with a tap in between.
type process struct {
	b    *backend
	in   *os.File // to the tap
	stop func()   // ends the server; it may be called more than once
	gone chan struct{}
	err  error // why it has ended; set before gone is closed

	mu sync.Mutex // guards writing to in
}

func startProcess(b *backend, note string) (leg, error) {
	p := b.part
	h := b.s.hub
	if err := contained(&p); err != nil {
		return nil, err
	}
	if p.Dir != "" {
		if info, err := os.Stat(p.Dir); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("its working directory %s is no directory here", p.Dir)
		}
	}
	command, env, temp, err := h.confined(p)
	if err != nil {
		return nil, err
	}
	stop := make(chan struct{})
	l := &process{
		b: b, stop: sync.OnceFunc(func() { close(stop) }), gone: make(chan struct{}),
	}
	header := record.Header{
		Started: time.Now(), Tap: "stdio", Label: b.label(), Side: sideServer, Command: shownLine(&p),
		Cwd:           shown(&p, p.Dir),
		ClientSession: b.s.clients(),
	}
	tap := &intercept.Stdio{
		Command: command, Mask: func(text string) string { return shown(&p, text) }, Dir: p.Dir, Env: env,
		Started: header.Started, Stop: stop, Own: true, OnTrouble: h.OnTrouble,
		Record: func() *record.Writer {
			w := h.Record(header)
			addNote(w, shown(&p, note))
			return w
		},
	}
	in, out, stderr, err := tap.Pipes()
	if err != nil {
		return nil, err
	}
	l.in = in
	var read sync.WaitGroup
	read.Go(func() { l.read(out) })
	var said lastLines
	read.Go(func() { io.Copy(&said, stderr); stderr.Close() }) // the tap records it
	h.wg.Go(func() {
		exit, err := tap.Run()
		read.Wait()
		if temp != "" {
			os.RemoveAll(temp)
		}
		if err == nil {
			err = fmt.Errorf("its process has ended with exit code %d%s", exit.Code, said.telling())
		}
		l.err = err
		close(l.gone)
		b.lostLeg(l, err)
	})
	return l, nil
}

// lostLeg is lost for an instance that has not been given up before.
func (b *backend) lostLeg(l leg, err error) {
	b.mu.Lock()
	begun := b.leg == l || b.leg == nil && b.reason == "" // it may end while it begins
	b.mu.Unlock()
	if begun {
		b.lost(err)
	}
}

// addNote says in a recording that begins why it does.
func addNote(w *record.Writer, text string) {
	if text != "" {
		f := wire.Frame{Kind: wire.KindNote, Data: fmt.Appendf(nil, `{"text":%s}`, quote(text))}
		f.Len = len(f.Data)
		w.Append(&f)
	}
}

// basics are the variables of the hub that every server gets: where it is, whose it is, and
// how texts are written. Keys are among the others, and one session's are not another's.
var basics = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TMP", "TEMP",
	// Windows
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "USERNAME", "USERPROFILE", "HOMEDRIVE", "HOMEPATH",
	"APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)", "PROCESSOR_ARCHITECTURE",
}

// environment is that of a server: basics, and what its configuration says.
func (h *Hub) environment(add map[string]string) []string {
	env := slices.DeleteFunc(slices.Clone(h.Environ), func(s string) bool {
		name, _, _ := strings.Cut(s, "=")
		_, given := add[name]
		is := func(basic string) bool { return len(name) == len(basic) && words.HasPrefix(name, basic) }
		return given || !strings.HasPrefix(name, "LC_") && !slices.ContainsFunc(basics, is)
	})
	for _, name := range slices.Sorted(maps.Keys(add)) {
		env = append(env, name+"="+add[name])
	}
	return env
}

func (l *process) send(m []byte, _ *call) error {
	text := bytes.ReplaceAll(m, []byte{'\n'}, nil) // a line is a message; inside strings there is none
	text = bytes.ReplaceAll(text, []byte{'\r'}, nil)
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := l.in.Write(append(text, '\n'))
	if err == nil {
		return nil
	}
	select { // it ends, which says more than that nobody reads
	case <-l.gone:
		return l.err
	case <-time.After(graceAtEnd):
		return err
	}
}

// read takes the messages of the server. After one without an end it is given up.
func (l *process) read(out *os.File) {
	defer out.Close()
	if err := readLines(out, maxBody, func(line []byte) { l.b.receive(line, nil) }); err != nil {
		l.b.lostLeg(l, err)
		_, _ = io.Copy(io.Discard, out) // until it has ended
	}
}

func (l *process) end(bool) {
	l.in.Close() // which ends a write that is under way
	timer := time.NewTimer(graceAtEnd)
	defer timer.Stop()
	select {
	case <-l.gone:
		return
	case <-timer.C:
	}
	l.stop()
	<-l.gone
}

func (b *backend) label() string { return b.part.Name + " · " + short(b.s.id) }

// short is enough of an id to tell sessions apart.
func short(id string) string { return id[:min(8, len(id))] }

// resolved is a path without links and dots, as far as it exists.
func resolved(path string) string {
	path = filepath.Clean(path)
	if r, err := filepath.EvalSymlinks(path); err == nil {
		return r
	}
	if parent := filepath.Dir(path); parent != path {
		return filepath.Join(resolved(parent), filepath.Base(path))
	}
	return path
}
