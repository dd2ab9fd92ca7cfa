package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"midwire/intercept"
	"midwire/intercept/gate"
	"midwire/session/record"
	"midwire/session/record/redact"
	"midwire/ui/cli/gating"
)

func (a *app) http() *cobra.Command {
	var opt intercept.HTTPOptions
	var w watching
	var broken gating.Faults
	c := &cobra.Command{
		Use:   "http URL",
		Short: "Proxy an HTTP server",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			target, err := intercept.ParseTarget(args[0])
			if err == nil {
				err = opt.Check()
			}
			if err != nil {
				return usageError{err}
			}
			g, err := broken.Gate(a.gates, "http")
			if err != nil {
				return err
			}
			w.gated = broken.Controlled
			return a.serve(cmd.Context(), target, opt, w, g)
		},
	}
	f := c.Flags()
	f.StringVar(&opt.Listen, "listen", "127.0.0.1:0", "address for clients; without it a free port of this machine")
	f.BoolVar(&w.plain, "no-ui", false, "print one line per message")
	f.BoolVar(&w.quiet, "quiet", false, "record only: no screen and no lines")
	f.StringVar(&opt.Host, "host", "", "keep or rewrite the Host header (default: keep for local servers, rewrite for remote ones)")
	f.StringSliceVar(&opt.AllowHosts, "allow-host", nil, "with a rewritten Host: a name clients may call midwire by (repeatable)")
	f.StringVar(&opt.CACert, "cacert", "", "file of certificates to trust as well")
	f.BoolVar(&opt.Insecure, "insecure", false, "accept any certificate of the server")
	broken.Flags(f)
	return c
}

// serve runs an HTTP proxy beside the screen, or beside printed lines, until
// the screen is closed or a signal ends it.
func (a *app) serve(ctx context.Context, target *url.URL, o intercept.HTTPOptions, w watching, g *gate.Gate) error {
	ctx, stop := intercept.UntilAsked(ctx)
	defer stop()
	opt, err := a.masking()
	if err != nil {
		return err
	}
	tap, err := o.New(target)
	if err != nil {
		return err
	}
	defer tap.Listen.Close()
	debug.SetGCPercent(200) // a tap's heap is small, and collecting it competes with the pumps
	closeGate, serve := a.tap(tap, target, opt, g, w.gated || a.hasScreen(w))
	defer closeGate()
	go serve()
	w.tap, w.url, w.upstream = true, tap.Origin()+target.RequestURI(), target.Redacted()
	said := redact.Args([]string{"", w.url, w.upstream}) // a log may keep it
	fmt.Fprintf(a.Out, "midwire: clients use %s  (forwards to %s)\n", said[1], said[2])
	if path := tap.Record.Path(); path != "" {
		fmt.Fprintf(a.Out, "midwire: recording %s\n", path)
		w.files = []string{path}
	}
	return a.watch(ctx, w, func(ctx context.Context) error {
		for _, text := range tap.Warnings() {
			a.onTrouble(errors.New("warning: " + text))
		}
		return tap.Run(ctx)
	})
}

// tap has an HTTP proxy record, and its gate served by what it returns.
func (a *app) tap(
	tap *intercept.HTTP, target *url.URL, opt record.Options, g *gate.Gate, controlled bool,
) (closeGate, serve func()) {
	trouble := func(err error) { a.onTrouble(err) }
	socket, serve := a.gates.Control(g, controlled, trouble)
	tap.Gate, tap.Started, tap.OnTrouble = g, time.Now(), trouble
	tap.Record = a.recorder(record.Header{
		Started: tap.Started, Tap: "http", Label: target.Host,
		Target: target.Redacted(), Listen: tap.Listen.Addr().String(), Control: socket.Address,
	}, opt)
	return func() { socket.Close() }, serve
}
