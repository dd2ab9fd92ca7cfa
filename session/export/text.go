package export

import (
	"io"

	"midwire/session/safe"
)

// writeText writes what Show does.
func writeText(w io.Writer, s *Source) error {
	out := &brief{w: w}
	p := NewPrinter("s", s.tracker, s.Load)
	p.clean = s.clean
	write := func(text string) bool { return out.write(text) }
	var loose []uint32
	if s.Session == 0 {
		loose = s.tracker.Loose()
	}
	p.show(s.sessions(), loose, write)
	if s.Trouble != "" {
		write("the recording: " + safe.Clean(s.Trouble) + "\n")
	}
	return out.err
}
