// Package collect is what the command line has for collectors of telemetry: the flags of
// proxies and of export, and the listener of metrics.
package collect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/net/netutil"

	"midwire/intercept"
	"midwire/session/defect"
	"midwire/session/record"
	"midwire/session/safe"
	"midwire/session/telemetry"
)

// Env is what it needs of the program.
type Env struct {
	Getenv  func(string) string
	Version string
	Options record.Options // what is masked
	Trouble func(error)    // says what goes wrong
	Line    func(string)   // prints a line for people
}

// Flags are what the flags of a proxy say of telling others what it sees.
type Flags struct{ otlp, metrics string }

// Add adds them to a command.
func (o *Flags) Add(f *pflag.FlagSet) {
	f.StringVar(&o.otlp, "otlp", "", "send spans to this OpenTelemetry collector over HTTP, like http://127.0.0.1:4318; env: to that of OTEL_EXPORTER_OTLP_ENDPOINT")
	f.StringVar(&o.metrics, "metrics", "", "serve metrics for Prometheus at this port of this machine, or at an ADDRESS:PORT")
}

// Given reports whether someone is to be told.
func (o *Flags) Given() bool { return o.otlp != "" || o.metrics != "" }

// Args are the arguments that the proxies of a client get. Others can read them, so they
// have no credential.
func (o *Flags) Args() ([]string, error) {
	if o.otlp == "" {
		return nil, nil
	}
	if u, err := url.Parse(o.otlp); err != nil || u.User != nil || u.RawQuery != "" {
		return nil, errors.New("--otlp with --wrap is in the command lines of other processes: " +
			"put a URL with a credential into OTEL_EXPORTER_OTLP_ENDPOINT, and say --otlp env")
	}
	return []string{"--otlp=" + o.otlp}, nil
}

// Start makes what is to be told of recordings; stop is called when they are complete.
// The error is one of usage: what is wrong with the environment or with the port keeps no
// proxy from starting, whose client would not know why.
func (o *Flags) Start(env Env) (p *telemetry.Proxy, stop func(), err error) {
	stop = func() {}
	p = &telemetry.Proxy{Say: env.Trouble}
	if o.otlp != "" {
		to, err := telemetry.Parse(o.otlp, env.Getenv)
		switch {
		case errors.Is(err, telemetry.ErrURL) && o.otlp != telemetry.FromEnv:
			return nil, stop, fmt.Errorf("--otlp: %w", err)
		case err != nil:
			env.Trouble(fmt.Errorf("warning: --otlp: %w. Nothing is sent", err))
		default:
			if to.Warning != "" {
				env.Trouble(errors.New("warning: " + to.Warning))
			}
			p.Sender = &telemetry.Sender{
				Endpoint: to, Version: env.Version, Options: env.Options, Say: env.Trouble, Follow: true,
			}
		}
	}
	closeMetrics := func() {}
	if o.metrics != "" {
		p.Metrics = &telemetry.Metrics{Version: env.Version, Options: env.Options, Sender: p.Sender}
		if closeMetrics, err = env.serve(o.metrics, p.Metrics); err != nil {
			return nil, stop, err
		}
	}
	return p, func() { p.Stop(); closeMetrics() }, nil
}

// serve serves metrics in the background, to programs and not to pages.
func (env *Env) serve(given string, m http.Handler) (end func(), err error) {
	address, err := metricsAddress(given)
	if err != nil {
		return nil, err
	}
	ln, err := net.Listen("tcp", address)
	if err != nil {
		env.Trouble(fmt.Errorf("warning: --metrics: %w. The proxy runs without metrics", err))
		return func() {}, nil
	}
	at, _ := ln.Addr().(*net.TCPAddr)
	if at != nil && !at.IP.IsLoopback() {
		env.Trouble(fmt.Errorf("warning: --metrics: %s can be reached by other machines: they can read the names of tools and errors", at))
	}
	if strings.HasSuffix(address, ":0") {
		env.Line(fmt.Sprintf("midwire: metrics at http://%s/metrics", ln.Addr()))
	}
	host, _, _ := net.SplitHostPort(address) // an address that was written out may be called by
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", m)
	s := &http.Server{
		Handler:     intercept.Guard(mux, "", host),
		ReadTimeout: 5 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute,
		MaxHeaderBytes: 16 << 10, ErrorLog: log.New(io.Discard, "", 0),
	}
	go func() {
		defer defect.Recover("the serving of metrics", 0, func(d *defect.Defect) { env.Trouble(d) })
		_ = s.Serve(netutil.LimitListener(ln, 16))
	}()
	return func() { _ = s.Close() }, nil
}

// metricsAddress makes an address of what a user gives: a port is one of this machine
// alone.
func metricsAddress(given string) (string, error) {
	host, port, err := net.SplitHostPort(given)
	if host == "" {
		host, port, err = "127.0.0.1", strings.TrimPrefix(given, ":"), nil
	}
	if n, bad := strconv.ParseUint(port, 10, 16); err != nil || bad != nil || n > 65535 {
		return "", fmt.Errorf("--metrics takes a port, or an address with one like 127.0.0.1:9464, not %q", given)
	}
	return net.JoinHostPort(host, port), nil
}

// Sending are the flags of export that have spans sent in place of a file.
type Sending struct {
	To            string
	Follow, Again bool
	endpoint      *telemetry.Endpoint
}

// Add adds them to a command.
func (o *Sending) Add(f *pflag.FlagSet) {
	f.StringVar(&o.To, "send", "", "with --to otlp: send the spans to this collector, or env, as --otlp of a proxy does; what was sent before is not sent again")
	f.BoolVar(&o.Follow, "follow", false, "with --send: continue while the recording grows")
	f.BoolVar(&o.Again, "again", false, "with --send: send all of it again")
}

// Check is for a command with that format. Its error is one of usage.
func (o *Sending) Check(getenv func(string) string, format string, file bool) (err error) {
	switch {
	case o.To != "" && (format != "otlp" || file):
		return errors.New("--send is for --to otlp, without --output and --session")
	case o.To == "" && (o.Follow || o.Again):
		return errors.New("--follow and --again are for --send URL")
	case o.To == "":
		return nil
	}
	if o.endpoint, err = telemetry.Parse(o.To, getenv); err != nil {
		return fmt.Errorf("--send: %w", err)
	}
	return nil
}

// Send sends the spans of a recording, and says how many the collector took.
func (o *Sending) Send(ctx context.Context, env Env, file string, out io.Writer) error {
	ctx, stop := intercept.UntilAsked(ctx)
	defer stop()
	to := o.endpoint
	if to.Warning != "" {
		env.Trouble(errors.New("warning: " + to.Warning))
	}
	s := &telemetry.Sender{
		Endpoint: to, Version: env.Version, Options: env.Options, Say: env.Trouble, Follow: o.Follow, Again: o.Again,
	}
	if !o.Follow {
		s.Attempts = 4
	}
	err := s.Send(ctx, nil, file)
	if errors.Is(err, telemetry.ErrSentBefore) {
		fmt.Fprintf(out, "all of it was sent to %s before; --again sends it again\n", safe.Whole(to.Shown()))
		return nil
	}
	fmt.Fprintf(out, "%s took %d spans\n", safe.Whole(to.Shown()), s.Sent.Load())
	if n := s.Refused.Load(); n > 0 {
		err = errors.Join(err, fmt.Errorf("the collector refused %d spans: when it takes them, --again sends all of the recording", n))
	}
	if ctx.Err() != nil && o.Follow {
		return nil // as it was asked
	}
	return err
}
