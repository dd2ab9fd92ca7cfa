package export

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"midwire/session/safe"
	"midwire/session/timeline"
)

// Code hosts draw no Mermaid text of more than 50,000 characters.
const (
	mermaidFirst, mermaidLast = 120, 40
	mermaidText               = 100
	mermaidNote               = 240
	mermaidWrap               = 44
	mermaidFindings           = 20
)

// writeMermaid writes a sequence diagram that code hosts render. Every session
// has its client; the server is one.
func writeMermaid(w io.Writer, s *Source) error {
	out, all := &brief{w: w}, s.moments(mermaidFirst, mermaidLast)
	out.write("%% midwire export: ", mermaidComment(s.summary()), "\n", "sequenceDiagram\n")
	server, seen := "server", map[int]bool{}
	for _, m := range all {
		if !seen[m.session] {
			seen[m.session] = true
			out.write("    participant ", client(m.session), " as ", mermaidSafe(short(s.clientName(m.session), 40)), "\n")
		}
		switch name := s.serverName(m.session); {
		case name == "" || name == server:
		case server == "server":
			server = name
		default: // several recordings in one
			server = "servers"
		}
	}
	if len(all) == 0 {
		out.write("    participant C0 as client\n")
	}
	out.write("    participant S as ", mermaidSafe(short(server, 40)), "\n")
	findings := 0
	for _, m := range all {
		if m.Kind == finding {
			if findings++; findings > mermaidFindings {
				continue
			}
		}
		out.write("    ", m.mermaid(), "\n")
	}
	if findings > mermaidFindings {
		out.write("    Note over S: ", mermaidSafe(fmt.Sprintf("%d more findings: midwire check", findings-mermaidFindings)), "\n")
	}
	return out.err
}

func (m *moment) mermaid() string {
	c := client(m.session)
	switch m.Kind {
	case gap:
		return "Note over S: … " + mermaidSafe(m.text)
	case finding:
		return "Note over " + c + ",S: " + mermaidLines(short(m.text, mermaidNote))
	case timeline.Note:
		return "Note right of S: " + mermaidLines(short(m.text, mermaidText))
	}
	arrow := map[timeline.Kind]string{timeline.Request: "->>", timeline.Response: "-->>", timeline.Notification: "-)"}[m.Kind]
	if m.Bad && m.Kind != timeline.Notification {
		arrow = map[timeline.Kind]string{timeline.Request: "-x", timeline.Response: "--x"}[m.Kind]
	}
	from, to := c, "S"
	if m.Dir == '<' {
		from, to = to, from
	}
	return from + arrow + to + ": " + cmp.Or(mermaidSafe(short(m.text, mermaidText)), "…")
}

func client(session int) string { return fmt.Sprintf("C%d", session+1) }

// clientName names the client of a session, for a diagram.
func (s *Source) clientName(index int) string {
	all := s.tracker.Sessions()
	if index < 0 || index >= len(all) {
		return "no session"
	}
	name := "client"
	if c := all[index].Client; c.Name != "" {
		name = peer(c)
	}
	if len(all) > 1 {
		name += fmt.Sprintf(" · session %d", index+1)
	}
	return name
}

func (s *Source) serverName(index int) string {
	all := s.tracker.Sessions()
	if index < 0 || index >= len(all) || all[index].Server.Name == "" {
		return ""
	}
	return peer(all[index].Server)
}

// mermaidSafe makes a text that Mermaid shows and never reads: all but letters,
// digits and the harmless signs are written as entity codes, #59; for a
// semicolon. A colon is not harmless: "style:" and "wrap:" mean something.
func mermaidSafe(text string) string {
	var b strings.Builder
	for _, r := range safe.Clean(text) {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r), strings.ContainsRune(` .,_/()=!?'*-"[]{}…→←✓✗·×`, r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}

// mermaidLines breaks a note, which Mermaid would draw beyond its frame.
func mermaidLines(text string) string {
	lines := strings.Split(ansi.Wordwrap(safe.Clean(text), mermaidWrap, ""), "\n")
	for i, line := range lines {
		lines[i] = mermaidSafe(line)
	}
	return strings.Join(lines, "<br/>")
}

// mermaidComment keeps a text from being a directive: those are in braces.
func mermaidComment(text string) string {
	return strings.NewReplacer("{", "(", "}", ")").Replace(safe.Clean(text))
}
