package cli

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"midwire/intercept"
	"midwire/replay"
	"midwire/replay/backend"
	"midwire/replay/call"
	"midwire/replay/peer"
	"midwire/session/record"
)

// asking is a server that a command uses as a client, as its arguments and flags name it.
type asking struct {
	to      string   // URL
	command []string // of one on stdio
	dir     string   // where that runs, "" for here
	headers []string
	http    intercept.HTTPOptions
	timeout time.Duration
}

// serverFlags adds the flags of a command that asks a server; url says what --to is.
func (q *asking) serverFlags(f *pflag.FlagSet, url string) {
	f.StringVar(&q.to, "to", "", url)
	q.httpFlags(f)
}

// callFlags adds those of one that finds its server in the arguments.
func (q *asking) callFlags(f *pflag.FlagSet) {
	q.httpFlags(f)
	f.DurationVar(&q.timeout, "timeout", time.Minute, "how long one request may take")
}

// allowCalls adds --yes.
func allowCalls(f *pflag.FlagSet, yes *bool) {
	f.BoolVar(yes, "yes", false, "call tools that are not marked read-only as well")
}

func (q *asking) httpFlags(f *pflag.FlagSet) {
	f.StringArrayVar(&q.headers, "header", nil, "'Name: value' of each HTTP request, as for a credential (repeatable)")
	f.StringVar(&q.http.CACert, "cacert", "", "file of certificates to trust as well")
	f.BoolVar(&q.http.Insecure, "insecure", false, "accept any certificate of the server")
}

// split takes the server's command, which stands behind --, off the arguments.
func (q *asking) split(cmd *cobra.Command, args []string) []string {
	if at := cmd.ArgsLenAtDash(); at >= 0 {
		args, q.command = args[:at], args[at:]
	}
	return args
}

// named says whether there is a server.
func (q *asking) named() bool { return q.to != "" || len(q.command) > 0 }

// find takes the server from the first of the arguments, where it is not a command, and
// returns the others.
func (q *asking) find(a *app, args []string) (rest []string, err error) {
	if len(q.command) > 0 {
		return args, nil
	}
	if len(args) == 0 {
		return nil, usagef("which server? A URL, a recording of it, or its command behind --")
	}
	if strings.Contains(args[0], "://") {
		q.to = args[0]
		return args[1:], nil
	}
	return args[1:], a.script(args[0], func(s *replay.Script) error {
		_, err := q.recorded(a, s, false)
		return err
	})
}

// recorded takes the server from a recording, where it is not named otherwise. That is used
// only if it was made here, which own says. several says that each request can be sent to an
// endpoint of its own.
func (q *asking) recorded(a *app, s *replay.Script, several bool) (own bool, err error) {
	dir, err := a.folder()
	if err != nil {
		return false, err
	}
	h := &s.Header
	if own = record.IsOwn(dir, s.Path); own {
		q.dir = backend.RecordedDir(h)
	}
	target := backend.RecordedTarget(s, several)
	switch {
	case q.named():
	case !own:
		return own, usagef("the recording was not made here, so what it says of its server is not used: give --to URL, or -- COMMAND")
	case target == "":
		return own, usagef("the recording does not say what its server was: give --to URL, or -- COMMAND")
	case backend.Masked(target):
		return own, usagef("the recording masks a part of what its server was: give --to URL, or -- COMMAND")
	case h.Tap == "http":
		q.to = target
	default:
		q.command = h.Command
	}
	return own, nil
}

// server is the server that is named, of which recordings are made.
func (q *asking) server(a *app) (s peer.Server, err error) {
	s.Command, s.Dir, s.HTTP = q.command, q.dir, q.http
	if q.to != "" && len(q.command) > 0 {
		return s, usagef("replay takes one target: --to URL, or -- COMMAND")
	}
	if q.to != "" {
		if s.URL, err = intercept.ParseTarget(q.to); err != nil {
			return s, usagef("%w", err)
		}
	}
	if s.Header, err = parseHeaders(q.headers); err != nil {
		return s, err
	}
	s.Record, err = a.recorders()
	return s, err
}

// open begins a session with the server. What is to hide is not recorded.
func (q *asking) open(ctx context.Context, a *app, label string, hide []string) (*call.Client, error) {
	opt := call.Options{Label: label, Timeout: q.timeout, Hide: hide}
	var err error
	if opt.Server, err = q.server(a); err != nil {
		return nil, err
	}
	client, err := call.Open(ctx, opt)
	return client, said(append(opt.Given(), hide...), err)
}

// said is an error without what is secret, which a server may have repeated.
func said(secrets peer.Secrets, err error) error {
	if err == nil || errors.As(err, new(exitStatus)) || secrets.Text(err.Error()) == err.Error() {
		return err
	}
	return errors.New(secrets.Text(err.Error()))
}

// reply prints what a server said, in lines or as JSON, without what is secret.
func (a *app) reply(secrets peer.Secrets, asJSON bool, value any, text func() string) error {
	var said strings.Builder
	if err := printTo(&said, asJSON, value, text); err != nil {
		return err
	}
	_, err := io.WriteString(a.Out, secrets.Text(said.String()))
	return err
}

func parseHeaders(all []string) (http.Header, error) {
	h := http.Header{}
	for _, text := range all {
		name, value, ok := strings.Cut(text, ":")
		if name = strings.TrimSpace(name); !ok || name == "" || strings.ContainsAny(text, "\r\n") {
			return nil, usagef("--header takes 'Name: value', not %q", text)
		}
		h[name] = append(h[name], strings.TrimSpace(value))
	}
	return h, nil
}
