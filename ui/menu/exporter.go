package menu

import (
	"context"

	"midwire/session/diagnose"
	"midwire/session/safe"
)

// Exporter writes files, new ones, and puts into words what a shell can do. Its
// methods are called from commands, never from Update, and from several at
// once. Recordings are named by id; sessions are counted from 1, 0
// is all.
type Exporter interface {
	// Export writes a recording in a format, with nothing secret in it, to a new
	// file, and returns its path. It gives up when ctx ends.
	Export(ctx context.Context, rec string, session int, format string) (path string, err error)
	// SARIF writes findings of recordings.
	SARIF(found map[string][]*diagnose.Finding) (path string, err error)
	// Save writes bytes to a file of about that name.
	Save(rec, name string, data []byte) (path string, err error)
	// Curl is a command for the HTTP request whose head is frame n.
	Curl(rec string, n uint64) (string, error)
	// ReplayLine is a command that replays a recording.
	ReplayLine(rec string, session int) (string, error)
}

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
		{"c", "curl", "a command for each HTTP request"},
		{"t", "text", "readable lines"},
		{"o", "otlp", "traces for OpenTelemetry"},
	}
}
