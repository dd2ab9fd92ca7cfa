package menu

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"midwire/session/diagnose"
	"midwire/session/safe"
	"midwire/ui/term"
)

// Exporter writes files, new ones, and puts into words what a shell can do. Its
// methods are called from commands, never from Update, and from several at
// once; but for Place. Recordings are named by id; sessions are counted from 1, 0
// is all.
type Exporter interface {
	// Place is where Export writes when no path is named.
	Place(rec string, session int, format string) string
	// Export writes a recording in a format, with nothing secret in it, to a new
	// file at a path, and returns the path. It gives up when ctx ends.
	Export(ctx context.Context, rec string, session int, format, path string) (at string, err error)
	// SARIF writes findings of recordings.
	SARIF(found map[string][]*diagnose.Finding) (path string, err error)
	// Save writes bytes to a file of about that name.
	Save(rec, name string, data []byte) (path string, err error)
	// Curl is a command for the HTTP request whose head is frame n.
	Curl(rec string, n uint64) (string, error)
	// ReplayLine is a command that replays a recording.
	ReplayLine(rec string, session int) (string, error)
}

// Place is a line in which the path of a file is written.
type Place struct {
	term.Input
	write func(path string) tea.Cmd
}

// NewPlace begins with a path; write is called with the one that was chosen.
func NewPlace(path string, write func(path string) tea.Cmd) *Place {
	p := &Place{term.NewInput(4096), write}
	p.Write(path)
	return p
}

// Key edits the path. Done says that the line is left; do is what to do then.
func (p *Place) Key(k tea.KeyPressMsg) (do tea.Cmd, done bool) {
	switch k.String() {
	case "enter":
		if path := strings.TrimSpace(p.Value()); path != "" {
			return p.write(path), true
		}
		return nil, true
	case "esc":
		return nil, true
	case "up", "down", "tab", "shift+tab":
		return nil, false
	}
	return p.Take(k), false
}

// Draw draws the line.
func (p *Place) Draw(l *term.Line, th *term.Theme) {
	l.Gap(1).Put(th.Key, "write to").Gap(1)
	p.Input.Draw(l, l.Max-l.Used-1)
}

// Hints are what its keys do.
func (p *Place) Hints() [][2]safe.Text { return [][2]safe.Text{{"enter", "write"}, {"esc", "cancel"}} }

// Format is a way to export.
type Format struct {
	Key, Name string
	What      safe.Text
}

// Formats are those of the export menu.
func Formats() []Format {
	return []Format{
		{"h", "html", "a report in one file, for a bug report"},
		{"a", "har", "HTTP exchanges, for a browser"},
		{"m", "mermaid", "a sequence diagram"},
		{"c", "curl", "a shell script that repeats it"},
		{"t", "text", "readable lines"},
		{"o", "otlp", "traces for OpenTelemetry"},
		{"x", "txtar", "every frame, in one archive"},
	}
}
