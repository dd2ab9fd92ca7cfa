package term

import "midwire/session/safe"

// PutLink adds text that leads to a URL, as far as the terminal knows links
// (OSC 8). The URL is one of ours, never from the wire.
func (l *Line) PutLink(st Style, t safe.Text, url string) *Line {
	if t == "" || l.Used >= l.Max {
		return l
	}
	l.style(st)
	l.b.WriteString("\x1b]8;;" + url + "\x1b\\")
	l.Put(st, t)
	l.b.WriteString("\x1b]8;;\x1b\\")
	return l
}
