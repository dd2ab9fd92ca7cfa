package split

import (
	"io"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/vt"

	"midwire/session/defect"
	"midwire/session/safe"
	"midwire/ui/term"
)

// Terminal is a terminal of its own for a program that runs beside the screen. Any
// goroutine may use it.
type Terminal struct {
	name   safe.Text
	host   io.ReadWriter
	size   func(w, h int)
	closed chan struct{}
	fresh  chan struct{}
	typed  chan []byte // keys, and what the terminal itself answers

	mu     sync.Mutex // for what follows
	screen *vt.Emulator
	hidden bool // the cursor
	over   bool
	how    safe.Text // it ended
}

// maxTyped is how many keys wait for a program that reads none; later ones are lost.
const maxTyped = 1024

// New makes a terminal for a program of that name, at the other end of host until that
// fails. resize tells the program the size.
func New(name string, host io.ReadWriter, resize func(w, h int)) *Terminal {
	t := &Terminal{
		name: safe.Line(name), host: host, size: resize, closed: make(chan struct{}),
		fresh: make(chan struct{}, 1), typed: make(chan []byte, maxTyped),
	}
	t.begin(80, 24)
	go t.read()
	go t.write()
	return t
}

// Name is that of the program.
func (t *Terminal) Name() safe.Text { return t.name }

// End says that the program has ended, and how.
func (t *Terminal) End(how string) {
	t.mu.Lock()
	t.over, t.how = true, safe.Line(how)
	t.mu.Unlock()
	t.changed()
}

// Runs says whether the program has not ended. A nil terminal has none.
func (t *Terminal) Runs() bool {
	if t == nil {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return !t.over
}

// begin makes an empty screen.
func (t *Terminal) begin(w, h int) {
	screen := vt.NewEmulator(w, h)
	screen.SetCallbacks(vt.Callbacks{CursorVisibility: func(visible bool) { t.hidden = !visible }})
	t.screen, t.hidden = screen, false
	go func() {
		buffer := make([]byte, 4096)
		for {
			n, err := screen.Read(buffer)
			if err != nil {
				return
			}
			select {
			case t.typed <- append([]byte(nil), buffer[:n]...):
			default:
			}
		}
	}()
}

// read takes what the program writes to the screen.
func (t *Terminal) read() {
	buffer := make([]byte, 32<<10)
	for {
		n, err := t.host.Read(buffer)
		t.show(buffer[:n])
		t.changed()
		if err != nil {
			close(t.closed)
			return
		}
	}
}

// show draws what the program wrote. The screen begins again where that cannot be drawn.
func (t *Terminal) show(data []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	defer defect.Recover("the terminal beside", 0, func(*defect.Defect) { t.again() })
	t.screen.Write(data)
}

func (t *Terminal) again() {
	w, h := t.screen.Width(), t.screen.Height()
	if pipe, ok := t.screen.InputPipe().(io.Closer); ok {
		pipe.Close()
	}
	t.begin(w, h)
}

// write gives the program what was typed.
func (t *Terminal) write() {
	for {
		select {
		case keys := <-t.typed:
			_, _ = t.host.Write(keys) // read sees what is wrong
		case <-t.closed:
			return
		}
	}
}

func (t *Terminal) changed() {
	select {
	case t.fresh <- struct{}{}:
	default:
	}
}

// with calls do while nobody else uses the screen.
func (t *Terminal) with(do func(*vt.Emulator)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	defer defect.Recover("the terminal beside", 0, func(*defect.Defect) { t.again() })
	do(t.screen)
}

func (t *Terminal) resize(w, h int) {
	t.with(func(s *vt.Emulator) { s.Resize(w, h) })
	t.size(w, h)
}

// send gives the program a key, a move of the mouse or a text that was pasted.
func (t *Terminal) send(msg tea.Msg) {
	t.with(func(s *vt.Emulator) {
		switch msg := msg.(type) {
		case tea.KeyPressMsg:
			if text := withModifier(msg); text != "" {
				s.SendText(text)
			} else {
				s.SendKey(uv.KeyPressEvent(msg))
			}
		case tea.PasteMsg:
			s.Paste(msg.Content)
		case tea.MouseClickMsg:
			s.SendMouse(uv.MouseClickEvent(msg))
		case tea.MouseReleaseMsg:
			s.SendMouse(uv.MouseReleaseEvent(msg))
		case tea.MouseMotionMsg:
			s.SendMouse(uv.MouseMotionEvent(msg))
		case tea.MouseWheelMsg:
			s.SendMouse(uv.MouseWheelEvent(msg))
		case tea.FocusMsg:
			s.Focus()
		case tea.BlurMsg:
			s.Blur()
		}
	})
}

// cursorKeys are the keys that xterm sends with the modifiers in front of their letter.
var cursorKeys = map[rune]string{
	tea.KeyUp: "A", tea.KeyDown: "B", tea.KeyRight: "C", tea.KeyLeft: "D", tea.KeyHome: "H", tea.KeyEnd: "F",
}

// withModifier is what xterm sends for a key that the emulator knows only without its
// modifiers, "" for any other.
func withModifier(k tea.KeyPressMsg) string {
	switch letter := cursorKeys[k.Code]; {
	case k.Text != "" && k.Mod&^tea.ModShift == 0:
		return k.Text
	case letter != "" && k.Mod != 0:
		// shift, alt and ctrl have the bits that xterm gives them.
		return "\x1b[1;" + string('1'+rune(k.Mod&7)) + letter
	case k.Code == tea.KeyTab && k.Mod == tea.ModShift:
		return "\x1b[Z"
	case k.Code == tea.KeyEnter && k.Mod&(tea.ModShift|tea.ModAlt) != 0:
		return "\x1b\r" // what programs take for a line break
	case k.Code == tea.KeyBackspace && k.Mod == tea.ModAlt:
		return "\x1b\x7f"
	}
	return ""
}

// picture is the screen in lines of w cells, where its cursor is, and whether it is seen.
func (t *Terminal) picture(w, h int) (lines []string, x, y int, cursor bool) {
	t.with(func(s *vt.Emulator) {
		lines = strings.Split(strings.ReplaceAll(s.Render(), "\r", ""), "\n")
		at := s.CursorPosition()
		x, y, cursor = at.X, at.Y, !t.hidden && !t.over && at.X < w && at.Y < h
	})
	for i, line := range lines {
		line = term.Counting().Truncate(line, w, "")
		lines[i] = line + "\x1b[m" + strings.Repeat(" ", max(w-term.Counting().StringWidth(line), 0))
	}
	return lines, x, y, cursor
}

// ended is how the program ended, "" while it runs.
func (t *Terminal) ended() safe.Text {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.how
}
