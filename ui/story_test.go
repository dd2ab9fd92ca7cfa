package ui

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/vt"
)

// emulator is a terminal in memory. Its lock also covers reading: a frame is
// written in one piece and must be read in one.
type emulator struct {
	mu sync.Mutex
	e  *vt.Emulator // guarded by mu
}

func (s *emulator) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.e.Write(bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n")))
	return len(p), err
}

func (s *emulator) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := strings.Split(s.e.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// terminal is a program with a terminal.
type terminal struct {
	t    *testing.T
	s    *emulator
	p    *tea.Program
	keys io.Writer // what is typed
	done chan error
}

func start(t *testing.T, m tea.Model, w, h int) *terminal {
	t.Helper()
	s := &emulator{e: vt.NewEmulator(w, h)}
	pr, pw := io.Pipe()
	go io.Copy(pw, s.e) // keys and answers to queries; ends when pw is closed
	p := tea.NewProgram(m, tea.WithInput(pr), tea.WithOutput(s), tea.WithWindowSize(w, h), tea.WithoutSignals(),
		tea.WithColorProfile(colorprofile.TrueColor), tea.WithEnvironment([]string{"TERM=xterm-256color"}))
	x := &terminal{t, s, p, pw, make(chan error, 1)}
	ended := make(chan struct{})
	go func() {
		_, err := p.Run()
		x.done <- err
		close(ended)
	}()
	t.Cleanup(func() {
		p.Kill()
		pw.Close()
		pr.Close()
		<-ended
	})
	return x
}

func (x *terminal) typed(s string) { io.WriteString(x.keys, s) }

// key presses a key. It does not ask the emulator, whose modes the program is
// changing meanwhile, and whose lock it may be waiting for.
func (x *terminal) key(code rune) {
	x.t.Helper()
	bytes, known := map[rune]string{
		tea.KeyEnter: "\r", tea.KeyEscape: "\x1b", tea.KeyDown: "\x1b[B", tea.KeyLeft: "\x1b[D", tea.KeyEnd: "\x1b[F",
	}[code]
	if !known {
		x.t.Fatalf("no bytes for key %d", code)
	}
	x.typed(bytes)
}

// waitFor waits until all texts are on the screen.
func (x *terminal) waitFor(texts ...string) {
	x.t.Helper()
	deadline := time.After(10 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		missing := ""
		now := x.s.text()
		for _, s := range texts {
			if !strings.Contains(now, s) {
				missing = s
			}
		}
		if missing == "" {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			x.t.Fatalf("%q did not come to the screen:\n%s", missing, now)
		}
	}
}

// waitGone waits until a text is no longer on the screen.
func (x *terminal) waitGone(s string) {
	x.t.Helper()
	for range 2000 {
		if !strings.Contains(x.s.text(), s) {
			return
		}
		<-time.After(5 * time.Millisecond)
	}
	x.t.Fatalf("%q stays on the screen", s)
}

// TestStory is one visit: look, pause, filter, read, resize, quit.
func TestStory(t *testing.T) {
	x := start(t, New(lively(), Options{Theme: "dark", Now: fixedNow, rules: testRules()}), 120, 36)
	x.waitFor("files-server ▸ messages", "▌   25", "● live", "The server responded after 1ms.")
	x.typed("[")
	x.waitFor("▌i  23", "‖ paused", "prompts were not", "the cause is not known")
	x.key(tea.KeyEnter)
	x.waitFor("[Body]", `"method": "prompts/get"`)
	x.typed("ll")
	x.waitFor("[Raw]", "#23 line, 105 bytes", `{"jsonrpc":"2.0","id":7,"method":"prompts/get"`)
	x.typed("2/tool:search")
	x.waitFor("1 of 17 match", "▌   10", "search_files")
	x.key(tea.KeyEnter)
	x.key(tea.KeyEscape)
	x.waitFor("─ 15 exchanges")
	x.typed("/listChanged") // only in a payload
	x.waitFor("1 of 17 match", "▌    3")
	x.key(tea.KeyEnter)
	x.typed("3h")
	x.waitFor("listChanged")
	x.typed("2")
	x.key(tea.KeyEscape)
	x.waitFor("─ 15 exchanges")
	x.typed("?")
	x.waitFor("filter the messages", "next, previous problem")
	x.key(tea.KeyEscape)
	x.waitGone("next, previous problem")
	x.s.mu.Lock()
	x.s.e.Resize(80, 24)
	x.s.mu.Unlock()
	x.p.Send(tea.WindowSizeMsg{Width: 80, Height: 24})
	x.waitFor("b sessions")
	x.typed("b")
	x.waitFor("─ Sessions ─", "YESTERDAY")
	x.typed("q")
	select {
	case err := <-x.done:
		if err != nil {
			t.Errorf("quit: %v", err)
		}
		x.done <- nil
	case <-time.After(5 * time.Second):
		t.Fatal("q does not quit")
	}
}
