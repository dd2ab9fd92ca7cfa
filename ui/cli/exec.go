package cli

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/net/http/httpproxy"

	"midwire/intercept"
	"midwire/intercept/forward"
	"midwire/intercept/launch"
	"midwire/session/record"
	"midwire/session/safe"
)

// forwarding is what the flags of exec and proxy say.
type forwarding struct {
	hosts    []string
	local    bool
	cacert   string
	insecure bool
	quiet    bool
	broken   faults
}

func (f *forwarding) flags(c *cobra.Command) {
	fs := c.Flags()
	fs.StringSliceVar(&f.hosts, "host", nil, "server whose traffic is decrypted and recorded: NAME, NAME:PORT or URL (repeatable)")
	fs.BoolVar(&f.local, "localhost", false, "record traffic to this machine too: localhost, 127.0.0.1 and ::1")
	fs.StringVar(&f.cacert, "cacert", "", "file of certificates of servers to trust as well")
	fs.BoolVar(&f.insecure, "insecure", false, "accept any certificate of a server")
	f.broken.flags(fs)
	fs.BoolVar(&f.quiet, "quiet", false, "say nothing on standard error but what goes wrong")
}

func (a *app) exec() *cobra.Command {
	var f forwarding
	c := &cobra.Command{
		Use:   "exec [flags] -- COMMAND [ARG…]",
		Short: "Start a client so that its HTTPS traffic with MCP servers is seen",
		Long: `Starts COMMAND, a client, with its traffic sent through a proxy of midwire's by its
environment. URLs stay as they are. Only connections to the hosts given are
decrypted and recorded; all others, like those to a model, are passed on unread.
The certificates are of an authority that exists for this run alone.`,
		Example: "  midwire exec --host mcp.example.com -- claude\n  midwire exec --localhost -- npx -y some-client http://localhost:3000/mcp",
		Args:    cobra.MinimumNArgs(1), ValidArgsFunction: completeFiles,
		RunE: func(cmd *cobra.Command, args []string) error { return a.launch(cmd.Context(), f, args) },
	}
	c.Flags().SetInterspersed(false)
	f.flags(c)
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
func (a *app) forward(ctx context.Context, f forwarding, listen string, header record.Header) (*forwarder, error) {
	if f.local {
		f.hosts = append(slices.Clone(f.hosts), forward.Local...)
	}
	if len(f.hosts) == 0 {
		return nil, usagef("which servers? Name each with --host, like --host mcp.example.com, or --localhost for those " +
			"on this machine. Only their traffic is decrypted")
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
	authority, err := forward.NewAuthority(hosts.Names())
	if err != nil {
		return nil, err
	}
	ln, err := net.Listen("tcp", listen)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w", listen, err)
	}
	p := &forward.Proxy{
		Listen: ln, Secret: forward.NewSecret(), Hosts: hosts, Authority: authority,
		Dialer: dialer(),
	}
	setup, err := a.setup(p, authority, hosts.Names())
	if err != nil {
		ln.Close()
		return nil, err
	}
	header.Started, header.Tap, header.Listen = time.Now(), "http", ln.Addr().String()
	header.Target = f.target()
	socket, serve := a.control(g)
	header.Control = socket.Address
	rec := a.recorder(header, opt)
	p.Relays = intercept.NewRelays(func() *record.Writer { return rec }, header.Started, dialer,
		func(err error) { a.onTrouble(err) })
	p.Relays.WithGate(g)
	g.Learns(learnFrom(rec.Path()))
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

// dialer makes the dialers of servers.
func (f *forwarding) dialer() (func() *intercept.Dialer, error) {
	via := httpproxy.FromEnvironment().ProxyFunc()
	if f.cacert == "" {
		return func() *intercept.Dialer { return &intercept.Dialer{Insecure: f.insecure, Proxy: via} }, nil
	}
	pool, err := intercept.CertPool(f.cacert)
	return func() *intercept.Dialer { return &intercept.Dialer{Roots: pool, Insecure: f.insecure, Proxy: via} }, err
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
	if err != nil { // its disk may be full or not to be written
		if r.Folder, err = os.MkdirTemp("", "midwire-run-*"); err == nil {
			s, err = launch.Prepare(r)
		}
	}
	return s, err
}

// launch runs a client behind a forward proxy, and exits as the client does.
func (a *app) launch(ctx context.Context, f forwarding, command []string) error {
	held := a.hold()
	defer held.say()
	// The command is not in the header: that would be a server's.
	fw, err := a.forward(context.WithoutCancel(ctx), f, "127.0.0.1:0", record.Header{
		Label: strings.TrimSuffix(filepath.Base(command[0]), ".exe"),
	})
	if err != nil {
		return err
	}
	defer fw.end()
	if !f.quiet {
		a.printLine("midwire: recording " + fw.path)
		a.printLine("midwire: " + notSeen(f.local))
	}
	child := intercept.Child{
		Command: command, Files: []*os.File{a.In, a.Out, a.Err}, Env: launch.Apply(os.Environ(), fw.setup.Settings),
	}
	exit, err := child.Run()
	fw.end()
	if err != nil {
		a.onTrouble(err)
	} else if !f.quiet {
		for _, line := range told(fw.Seen()) {
			a.printLine("midwire: " + line)
		}
	}
	if exit.Signal != nil {
		held.say()
		intercept.DieOf(exit.Signal)
	}
	return exitStatus(exit.Code)
}

func (a *app) printLine(line string) { fmt.Fprintln(a.Err, safe.Whole(line)) }

// notSeen says what a proxy in the environment cannot catch.
func notSeen(local bool) string {
	all := "not seen: Node before 22.21, connectors that run in a vendor's cloud, and programs that ignore HTTPS_PROXY"
	if local {
		all += "; Go programs when the server is on this machine"
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		all += "; programs that trust only the system's certificates, like those in Go"
	}
	return all
}

// told is what came of a run.
func told(s forward.Seen) []string {
	var all []string
	if len(s.Opened) == 0 && len(s.Refused) == 0 {
		all = append(all, "the client has sent nothing to these hosts through the proxy. See docs/exec.md for what its runtime reads")
	}
	if len(s.Refused) > 0 {
		all = append(all, "the client does not trust the certificates of this run, for "+strings.Join(s.Refused, ", ")+". See docs/exec.md for what its runtime reads")
	}
	if len(s.Tunnelled) > 0 {
		all = append(all, "passed on unread: "+strings.Join(s.Tunnelled, ", "))
	}
	return all
}

// held keeps what goes wrong until the terminal is ours again.
type held struct {
	mu  sync.Mutex
	all []error
	app *app
}

// hold holds back what is said while a client has the terminal.
func (a *app) hold() *held {
	h := &held{app: a}
	if isTerminal(a.Err) {
		a.onTrouble = func(err error) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.all = append(h.all, err)
		}
	}
	return h
}

func (h *held) say() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, err := range h.all {
		h.app.printError(err)
	}
	h.all = nil
}
