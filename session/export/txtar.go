package export

import (
	"fmt"
	"io"
	"strings"

	"midwire/session/safe"
	"midwire/session/wire"
)

// writeTxtar writes the frames as a txtar archive, to be read and compared: a
// file for each frame, JSON laid out, without times. It is not for feeding
// back: the recording itself is for that.
func writeTxtar(w io.Writer, s *Source) error {
	out := &brief{w: w}
	out.write("midwire export: recording ", safe.Clean(s.ID), "\n")
	for _, one := range s.sessions() {
		out.write(Title(one), "\n")
	}
	for _, f := range s.findings() {
		out.write(severitySign(f.Severity), " ", f.Rule.ID, " ", FrameList(f.Frames), ": ", safe.Clean(f.Message), "\n")
	}
	for f := range s.frames {
		name, text := s.file(f)
		if !out.write("\n-- ", name, " --\n", text) {
			break
		}
	}
	return out.err
}

// file is the name and the content of a frame's file.
func (s *Source) file(f *wire.Frame) (name, text string) {
	ending := "txt"
	payload := s.clean(string(s.tracker.Payload(f)))
	var lines []string
	if f.Kind == wire.KindEvent {
		e := wire.ParseEvent(f.Data)
		if e.Name != "" {
			lines = append(lines, "event: "+e.Name)
		}
		if e.HasID {
			lines = append(lines, "id: "+e.ID)
		}
	}
	if f.HoldsMessages() && len(payload) > 0 {
		if text, ok := wire.Indent([]byte(payload), ""); ok {
			payload = string(text)
		}
		if len(lines) == 0 && wire.Valid([]byte(payload)) {
			ending = "json"
		}
	}
	lines = append(lines, strings.Split(strings.TrimRight(payload, "\r\n"), "\n")...)
	var b strings.Builder
	for _, line := range lines {
		line = safe.Whole(strings.TrimSuffix(line, "\r"))
		if strings.HasPrefix(line, "-- ") {
			line = " " + line // or it would begin a file
		}
		b.WriteString(line + "\n")
	}
	return fmt.Sprintf("%06d%s.%s.%s", f.N, place(f), f.Kind, ending), b.String()
}

// place is the part of a file's name that says where a frame went.
func place(f *wire.Frame) string {
	exchange := ""
	if f.Conn != 0 && f.X != 0 {
		exchange = fmt.Sprintf(".exchange-%d", f.X)
	}
	if d := direction(f.Dir); d != "" {
		return exchange + "." + d
	}
	return exchange
}
