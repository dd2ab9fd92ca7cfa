package cli

import (
	"context"
	"crypto/x509"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/net/http/httpproxy"

	"midwire/intercept"
	"midwire/intercept/clients"
	"midwire/intercept/forward"
	"midwire/intercept/launch"
	"midwire/session/record"
	"midwire/session/safe"
	"midwire/ui/cli/collect"
)

type forwarding struct {
	hosts     []string
	local     bool
	onlyNamed bool
	cacert    string
	insecure  bool
	quiet     bool
	broken    faultFlags
	tells     collect.Flags
}

func (f *forwarding) flags(c *cobra.Command) {
	fs := c.Flags()
	fs.StringSliceVar(&f.hosts, "host", nil, "server whose traffic is decrypted and recorded: NAME, NAME:PORT or URL (repeatable)")
	fs.BoolVar(&f.local, "localhost", false, "record traffic to this machine too: localhost, 127.0.0.1 and ::1")
	fs.BoolVar(&f.onlyNamed, "only-named", false, "decrypt the hosts of --host and --localhost alone: no configuration is read, and none is learnt")
	fs.StringVar(&f.cacert, "cacert", "", "file of certificates of servers to trust as well")
	fs.BoolVar(&f.insecure, "insecure", false, "accept any certificate of a server")
	f.broken.flags(fs)
	f.tells.Add(fs)
	fs.BoolVar(&f.quiet, "quiet", false, "say nothing on standard error but what goes wrong")
}

func (a *app) exec() *cobra.Command {
	var f forwarding
	var client string
	c := &cobra.Command{
		Use:   "exec [flags] -- COMMAND [ARG…]",
		Short: "Run a client with its HTTPS traffic to servers intercepted",
		Args:  cobra.MinimumNArgs(1), ValidArgsFunction: completeFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			var plan *clients.Run
			var err error
			if client != "" {
				if plan, err = a.planRun(client, args, f); err != nil {
					return err
				}
			}
			return a.launch(cmd.Context(), f, plan, args)
		},
	}
	c.Flags().SetInterspersed(false)
	f.flags(c)
	wrapFlag(c, &client)
	return c
}

// forwarder is a forward proxy that runs.
type forwarder struct {
	*forward.Proxy
	setup *launch.Setup
	path  string // of the recording
	end   func() // completes the recording, removes the files
}

// forward starts a forward proxy. listen is its address, header the recording's
// as far as the command knows it.
func (a *app) forward(
	ctx context.Context, f forwarding, c configured, listen string, header record.Header,
) (*forwarder, error) {
	if f.local {
		f.hosts = append(slices.Clone(f.hosts), forward.Local...)
	}
	f.hosts = append(slices.Clone(f.hosts), c.hosts...)
	if len(f.hosts) == 0 {
		return nil, noHosts(c)
	}
	hosts, err := forward.ParseHosts(f.hosts)
	if err != nil {
		return nil, usageError{err}
	}
	opt, err := a.masking()
	if err != nil {
		return nil, err
	}
	g, err := f.broken.gate("http")
	if err != nil {
		return nil, err
	}
	dialer, err := f.dialer()
	if err != nil {
		return nil, err
	}
	p := &forward.Proxy{Secret: forward.NewSecret(), Hosts: hosts, Dialer: dialer()}
	if f.onlyNamed {
		p.Authority, err = forward.NewAuthority(hosts.Names())
	} else {
		p.Learn = &forward.Learner{Hosts: hosts, Never: c.models}
		p.Authority, err = forward.NewOpenAuthority(hosts.Names())
	}
	if err != nil {
		return nil, err
	}
	ln, err := intercept.Listen(listen)
	if err != nil {
		return nil, err
	}
	p.Listen = ln
	setup, err := a.setup(p, p.Authority, hosts.Names())
	if err != nil {
		ln.Close()
		return nil, err
	}
	header.Started, header.Tap, header.Listen = time.Now(), "http", ln.Addr().String()
	header.Target = f.target()
	socket, serve := a.control(g, f.broken.controlled, func(err error) { a.onTrouble(err) })
	header.Control = socket.Address
	rec := a.recorder(header, opt)
	p.Relays = intercept.NewRelays(func() *record.Writer { return rec }, header.Started, dialer,
		func(err error) { a.onTrouble(err) })
	p.Relays.WithGate(g)
	go serve()
	ctx, stop := context.WithCancel(ctx)
	ran := make(chan error, 1)
	go func() { ran <- p.Run(ctx) }()
	return &forwarder{Proxy: p, setup: setup, path: rec.Path(), end: sync.OnceFunc(func() {
		stop()
		if err := <-ran; err != nil {
			a.onTrouble(err)
		}
		p.Relays.Close()
		socket.Close()
		setup.Close()
	})}, nil
}

func noHosts(c configured) error {
	text := "which servers? Name each with --host, like --host mcp.example.com, or --localhost for those " +
		"on this machine. Only their traffic is decrypted"
	if c.where != "" {
		text += ". There is none in " + c.where
	}
	return usagef("%s", strings.Join(append([]string{text}, c.odd...), "\n"))
}

func (f *forwarding) dialer() (func() *intercept.Dialer, error) {
	var pool *x509.CertPool
	var err error
	if f.cacert != "" {
		pool, err = intercept.CertPool(f.cacert)
	}
	via := httpproxy.FromEnvironment().ProxyFunc()
	return func() *intercept.Dialer {
		return &intercept.Dialer{Roots: pool, Insecure: f.insecure, Proxy: via, Plain: true}
	}, err
}

// target is the server of the recording, when there is just one.
func (f *forwarding) target() string {
	switch {
	case len(f.hosts) != 1:
		return ""
	case strings.Contains(f.hosts[0], "://"):
		return f.hosts[0]
	}
	return "https://" + f.hosts[0]
}

// setup prepares what clients need.
func (a *app) setup(p *forward.Proxy, ca *forward.Authority, hosts []string) (*launch.Setup, error) {
	dir, err := a.folder()
	if err != nil {
		return nil, err
	}
	r := launch.Request{
		Folder: filepath.Join(filepath.Dir(dir), "run"), Proxy: p.URL(), CA: ca.PEM(),
		Hosts: hosts, Local: forward.Local, Getenv: a.Getenv,
	}
	s, err := launch.Prepare(r)
	if err == nil && s.Odd != nil {
		a.onTrouble(fmt.Errorf("warning: the certificates of this run are in a temporary folder, as %s cannot be used: %w", r.Folder, s.Odd))
	}
	return s, err
}

// launch runs a client behind a forward proxy, and exits as the client does. With a
// plan midwire also stands in front of the servers of its configuration, and there is a
// proxy only where hosts are named.
func (a *app) launch(ctx context.Context, f forwarding, plan *clients.Run, command []string) error {
	trouble := &held{print: a.printError}
	defer trouble.say()
	if isTerminal(a.Err) { // a client has it
		a.onTrouble = trouble.keep
	}
	tell, err := a.tell(&f.tells)
	if err != nil {
		return err
	}
	a.telemetry.Begin()
	defer tell()
	say := func(lines ...string) {
		for _, line := range lines {
			if !f.quiet {
				a.printLine("midwire: " + line)
			}
		}
	}
	started, env, over := time.Now(), os.Environ(), func() []string { return nil }
	label, found := strings.TrimSuffix(filepath.Base(command[0]), ".exe"), configured{}
	var began []string
	if plan != nil {
		f.open(plan)
		label, began = plan.Client.ID, wrappedLines(plan)
	} else {
		found = a.configured(f, command)
	}
	if plan == nil || len(f.hosts) > 0 || f.local {
		// The command is not in the header: that would be a server's.
		fw, err := a.forward(context.WithoutCancel(ctx), f, found, "127.0.0.1:0", record.Header{Label: label})
		if err != nil {
			return err
		}
		defer fw.end()
		env = launch.Apply(env, fw.setup.Settings)
		began = slices.Concat(began, recording(fw.path), found.told())
		over = func() []string { fw.end(); tell(); return fw.Seen().Lines() }
	}
	wrapped := func() []string { return nil }
	if plan != nil {
		file, remove, err := a.planFile(plan)
		if err != nil {
			return err
		}
		defer remove()
		line, set := plan.Launch(file)
		command, env = line, append(env, set...)
		wrapped = func() []string { return a.recorded(plan, started) }
	}
	end := func(ran bool) {
		if lines := over(); ran {
			say(lines...)
		}
		say(wrapped()...)
	}
	say(began...)
	return a.client(trouble, command, env, end)
}

// client runs a client, and exits as it does. Over is called when it has ended,
// or was not there.
func (a *app) client(trouble *held, command, env []string, over func(ran bool)) error {
	child := intercept.Child{Command: command, Files: []*os.File{a.In, a.Out, a.Err}, Env: env}
	exit, err := child.Run()
	return a.exitAs(trouble, exit, err, over)
}

// exitAs exits as a client did, of which err says that it never ran.
func (a *app) exitAs(trouble *held, exit intercept.Exit, err error, over func(ran bool)) error {
	if err != nil {
		a.onTrouble(err)
	}
	over(err == nil)
	if exit.Signal != nil {
		trouble.say()
		intercept.DieOf(exit.Signal)
	}
	return exitStatus(exit.Code)
}

// recording names a recording; what there is none of has been said.
func recording(path string) []string {
	if path == "" {
		return nil
	}
	return []string{"recording " + path}
}

func (a *app) printLine(line string) { fmt.Fprintln(a.Err, safe.Whole(line)) }

// held keeps what goes wrong until the terminal is ours again. Any goroutine may use it.
type held struct {
	print func(error)
	mu    sync.Mutex
	all   []error
}

// keep holds back an error.
func (h *held) keep(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, err)
}

// say prints what is held.
func (h *held) say() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, err := range h.all {
		h.print(err)
	}
	h.all = nil
}
