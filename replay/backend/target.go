package backend

import (
	"fmt"
	"net/url"
	"os"
	"strings"

	"midwire/intercept"
	"midwire/replay"
	"midwire/session/record"
	"midwire/session/words"
)

// maxTarget bounds the length of a recorded command line that is offered: it
// has to be read before it is run.
const maxTarget = 4000

// aim takes the target as the user wrote it, or that of a recording that was
// made here. What a stranger's recording names is not run, and not sent to.
func (j *job) aim(text, dir string) {
	h := j.script.Header
	if text == "" && j.own {
		text = RecordedTarget(j.script, true)
	}
	if dir == "" && j.own {
		dir = RecordedDir(&h)
	}
	j.target = text
	switch {
	case text == "" && !j.own:
		j.stuck = "the recording was not made here, so what it says of its server is not used; t gives a target: a URL, or a command line"
		return
	case len(text) > maxTarget:
		j.target, j.stuck = "", fmt.Sprintf("the recorded command line is too long to be looked through, %d bytes; t gives a target", len(text))
		return
	case Masked(text):
		j.stuck = "the recording masks a part of the target; t gives it whole"
		return
	}
	if strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://") {
		u, err := intercept.ParseTarget(text)
		if err != nil {
			j.stuck = err.Error()
			return
		}
		j.opt.URL = u
		return
	}
	words, ok := replay.SplitWords(text)
	switch {
	case !ok:
		j.stuck = "a quote of the command line is not closed; t changes the target"
	case len(words) == 0:
		j.stuck = "the recording does not say what its server was; t gives a target: a URL, or a command line"
	}
	j.opt.Command, j.opt.Dir = words, dir
}

// RecordedTarget is what a recording says of its server: a command line, or a URL, with the
// path and the query of its requests; "" for nothing. Where they went to several endpoints, it
// is that of the first, or without a path if each can be sent to its own. Who uses it sees to
// it that the recording was made here.
func RecordedTarget(s *replay.Script, several bool) string {
	h := &s.Header
	if h.Tap != "http" {
		return replay.JoinWords(h.Command)
	}
	u, err := intercept.ParseTarget(h.Target)
	if err != nil {
		return h.Target
	}
	at := &url.URL{Scheme: u.Scheme, User: u.User, Host: u.Host}
	endpoint := ""
	for i := range s.Sessions {
		switch one := s.Sessions[i].Endpoint; {
		case one == "" || one == endpoint:
		case endpoint == "":
			endpoint = one
		case several:
			return intercept.ShowTarget(at)
		}
	}
	for i := range s.Steps {
		head, _ := s.RequestHead(int32(i))
		if target, _, _ := strings.Cut(head.Target, "?"); target == endpoint && endpoint != "" {
			endpoint = head.Target
			break
		}
	}
	replay.Aim(at, true, endpoint)
	return intercept.ShowTarget(at)
}

// RecordedDir is where the recorded command ran, "" when that is not there:
// relative names in a command mean what they meant.
func RecordedDir(h *record.Header) string {
	if info, err := os.Stat(h.Cwd); h.Tap == "stdio" && err == nil && info.IsDir() {
		return h.Cwd
	}
	return ""
}

// halfMasked finds what is masked in a command line or URL by a word alone: a user of a
// URL, or a whole value.
var halfMasked = words.Pattern(`[:/](redacted|xxxxx)@|(^|[ ="'])redacted($|[ "'&#;])`)

// Masked reports whether a part of a recorded command line or URL is a mask.
func Masked(text string) bool { return replay.HasMask(text) || halfMasked().MatchString(text) }
