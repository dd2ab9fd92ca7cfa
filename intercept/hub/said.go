package hub

import (
	"bytes"
	"strings"

	"midwire/session/operation"
	"midwire/session/words"
)

// maxSaid and maxSaidLine bound what is kept of the standard error of a process.
const (
	maxSaid     = 40
	maxSaidLine = 600
)

// lastLines keeps the last lines that are written to it, the beginning of each.
type lastLines struct {
	lines []string
	part  []byte // of a line without an end
}

func (l *lastLines) Write(p []byte) (int, error) {
	for line := range bytes.Lines(p) {
		l.part = append(l.part, line[:min(len(line), maxSaidLine-len(l.part))]...)
		if line[len(line)-1] == '\n' {
			l.take()
		}
	}
	return len(p), nil
}

func (l *lastLines) take() {
	if text := strings.TrimSpace(words.Clip(string(l.part), maxSaidLine)); text != "" {
		l.lines = append(l.lines[max(0, len(l.lines)-maxSaid+1):], text)
	}
	l.part = l.part[:0]
}

// telling is the last line that says why the process ended, as the end of a sentence; "" for
// none. Without a line of trouble it is the last of all.
func (l *lastLines) telling() (text string) {
	l.take()
	weight := 0
	for _, line := range l.lines {
		if w := operation.Trouble(line); w >= weight {
			text, weight = line, w
		}
	}
	if text != "" {
		text = ": " + text
	}
	return text
}
