package hosts

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"midwire/session/words"
)

// SSH is a host that is reached by the user's ssh.
type SSH struct {
	Name    string // under which its recordings are kept
	Program string // midwire on that host; "" is midwire in its PATH

	target, port, home string
}

// ParseSSH reads ssh://[USER@]HOST[:PORT][/HOME]. It accepts no character that ssh, a
// ProxyCommand or the shell of the host could take for more than a name.
func ParseSSH(address string) (*SSH, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("it is no URL like ssh://HOST")
	}
	if _, hasPassword := u.User.Password(); hasPassword {
		return nil, errors.New("a password in the URL is seen by others: use a key, or ssh's agent")
	}
	if u.Scheme != "ssh" || u.RawQuery != "" || u.Fragment != "" || u.Opaque != "" {
		return nil, errors.New("it is no URL like ssh://[USER@]HOST[:PORT][/HOME]")
	}
	s := &SSH{target: u.Hostname(), port: u.Port(), home: u.Path}
	s.Name = s.target
	if strings.Contains(s.target, ":") { // IPv6
		s.Name = "ip" + strings.ReplaceAll(s.target, ":", "-")
	}
	if err := CheckName(s.Name); err != nil {
		return nil, fmt.Errorf("host: %w", err)
	}
	if user := u.User.Username(); user != "" {
		if err := CheckName(user); err != nil {
			return nil, fmt.Errorf("user: %w", err)
		}
		s.target = user + "@" + s.target
	}
	if strings.ContainsFunc(s.home, func(c rune) bool { return c < ' ' || c == 0x7f }) {
		return nil, errors.New("the folder has control characters in its name")
	}
	if s.home == "/" {
		s.home = ""
	}
	return s, nil
}

// args are the arguments of ssh. The user's configuration decides the rest. ssh asks
// nothing: there is a screen where it would.
func (s *SSH) args() []string {
	all := []string{"-T", "-a", "-x", "-o", "BatchMode=yes", "-o", "ClearAllForwardings=yes", "-o", "RemoteCommand=none"}
	if s.port != "" {
		all = append(all, "-p", s.port)
	}
	all = append(all, "--", s.target, quote(cmp.Or(s.Program, "midwire")), "feed")
	if s.home != "" {
		all = append(all, "--home", quote(s.home))
	}
	return all
}

// quote writes a word for a POSIX shell.
func quote(word string) string {
	plain := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("_./~+-:", c)
	}
	if word != "" && !strings.ContainsFunc(word, func(c rune) bool { return !plain(c) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Follow copies the recordings of the host, and connects again when the link is cut,
// until ctx ends. With r.Once it returns when it has what there is, or cannot have it.
func (s *SSH) Follow(ctx context.Context, r *Receiver) error {
	defer func() {
		if r.box != nil {
			r.box.close()
		}
	}()
	return r.retry(ctx, s.Name, func() error { return s.connect(ctx, r) })
}

// List describes the recordings of the host for a person, safe for a terminal.
func (s *SSH) List(ctx context.Context) (string, error) {
	r := &Receiver{Host: s.Name, Options: Options{Once: true, Choice: Choice{IDs: []string{""}}, Say: func(string) {}}}
	err := s.Follow(ctx, r)
	all := slices.SortedFunc(maps.Values(r.offered), func(a, b *Recording) int {
		return cmp.Or(b.Started.Compare(a.Started), strings.Compare(a.ID, b.ID))
	})
	var text strings.Builder
	for _, one := range all {
		live := " "
		if one.Live {
			live = "●"
		}
		fmt.Fprintf(&text, "%s %s  %s  %9s  %s\n", live, one.Started.Local().Format("2006-01-02 15:04"),
			one.ID+"@"+s.Name, words.Size(int(one.Size)), shown(one.Label))
	}
	return text.String(), err
}

// connect is one connection.
func (s *SSH) connect(ctx context.Context, r *Receiver) error {
	ctx, hangUp := context.WithCancel(ctx)
	defer hangUp()
	cmd := exec.CommandContext(ctx, "ssh", s.args()...)
	said := &lastLineOf{}
	cmd.Stderr, cmd.WaitDelay = said, 2*time.Second
	in, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("ssh: %w", err)
	}
	err = r.receive(ctx, in, out, hangUp)
	out.Close()
	cut := ctx.Err() != nil
	hangUp()
	_ = cmd.Wait()
	switch text := said.String(); {
	case errors.Is(err, errDone):
		return err
	case cut:
		return errors.New("the link is silent")
	case text != "" && !r.greeted:
		return errors.New("ssh: " + strings.TrimPrefix(text, "ssh: "))
	case !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, os.ErrClosed):
		return err
	case text != "":
		return errors.New("the link was cut: " + text)
	}
	return errors.New("the link was cut")
}

// lastLineOf keeps the last line that is written to it.
type lastLineOf struct{ text []byte }

// Write implements io.Writer.
func (l *lastLineOf) Write(p []byte) (int, error) {
	l.text = append(l.text, p...)
	if over := len(l.text) - 2<<10; over > 0 {
		l.text = append(l.text[:0], l.text[over:]...)
	}
	return len(p), nil
}

// String is safe for a terminal.
func (l *lastLineOf) String() string {
	text := bytes.TrimSpace(l.text)
	return shown(string(text[bytes.LastIndexAny(text, "\r\n")+1:]))
}
