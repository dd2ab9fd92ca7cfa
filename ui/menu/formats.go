package menu

import "midwire/session/safe"

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
		{"j", "jsonl", "one line of JSON per message"},
		{"o", "otlp", "traces for OpenTelemetry"},
		{"x", "txtar", "every frame, in one archive"},
	}
}
