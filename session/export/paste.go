package export

import (
	"cmp"
	"strconv"
	"strings"

	"midwire/session/wire"
)

// Curl is a shell command that sends one HTTP request: its head, and what came
// of its body. Frames after its end do not count. The open frame of its connection,
// if it is the first, says where the request went, and else target does. False
// means that there is no request among the frames.
func Curl(target string, frames []*wire.Frame) (string, bool) {
	if len(frames) > 0 && frames[0].Kind == wire.KindOpen {
		target = cmp.Or(originAt(frames[0].Data), target)
	}
	var b strings.Builder
	c := curl{
		brief: brief{w: &b},
		s:     &Source{Target: target},
		base:  origin(target),
		open:  map[uint32]*curlRequest{},
	}
	for _, f := range frames {
		c.frame(f)
		if b.Len() > 0 {
			break
		}
	}
	for _, r := range c.order {
		c.request(r)
		break
	}
	return strings.TrimSpace(b.String()), b.Len() > 0
}

// ReplayLine is a shell command that replays a recording, or with session, from
// 1, that alone, against the server that it was recorded from: a URL, or the
// command of a process.
func ReplayLine(recording string, session int, target string, command []string) string {
	words := []string{"midwire", "replay", ShellWord(recording)}
	if session > 0 {
		words = append(words, "--session", strconv.Itoa(session))
	}
	if len(command) == 0 {
		return strings.Join(append(words, "--to", ShellWord(cmp.Or(target, "URL"))), " ")
	}
	words = append(words, "--")
	for _, w := range command {
		words = append(words, ShellWord(w))
	}
	return strings.Join(words, " ")
}

// ShellWord is a text as one word of a POSIX shell, without quotes where none are needed.
func ShellWord(text string) string {
	const harmless = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-./:@%+,="
	if text != "" && strings.Trim(text, harmless) == "" {
		return text
	}
	return shellWord(text)
}
