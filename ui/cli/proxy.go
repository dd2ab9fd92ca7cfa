package cli

import (
	"context"
	"fmt"
	"net"
	"os"
	"runtime"

	"github.com/spf13/cobra"

	"midwire/intercept"
	"midwire/intercept/forward"
	"midwire/intercept/launch"
	"midwire/session/record"
)

// proxy is exec without the launch: it prints what to set.
func (a *app) proxy() *cobra.Command {
	var f forwarding
	var listen, shell string
	c := &cobra.Command{
		Use:   "proxy",
		Short: "Run the proxy of midwire exec without starting a client",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := oneOf("--shell", shell, launch.Shells...); err != nil {
				return err
			}
			host, _, err := net.SplitHostPort(listen)
			if ip := net.ParseIP(host); err != nil || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
				return usagef("--listen takes an address of this machine alone, like 127.0.0.1:7000, not %q", listen)
			}
			return a.offer(cmd.Context(), f, listen, shell)
		},
	}
	own := launch.Shells[0]
	if runtime.GOOS == "windows" {
		own = "powershell"
	}
	f.flags(c)
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "address for clients, of this machine; without it a free port")
	c.Flags().StringVar(&shell, "shell", own, "print for sh, fish or powershell")
	return c
}

// offer runs a forward proxy until a signal ends it.
func (a *app) offer(ctx context.Context, f forwarding, listen, shell string) error {
	ctx, stop := intercept.UntilAsked(ctx)
	defer stop()
	tell, err := a.tell(&f.tells)
	if err != nil {
		return err
	}
	a.telemetry.Begin()
	defer tell()
	fw, err := a.forward(ctx, f, configured{models: forward.ModelHosts(os.Environ())}, listen, record.Header{Label: "proxy"})
	if err != nil {
		return err
	}
	defer fw.end()
	fmt.Fprint(a.Out, launch.Script(shell, fw.setup.Settings))
	if !f.quiet {
		for _, line := range recording(fw.path) {
			a.printLine("midwire: " + line)
		}
		a.printLine("midwire: set these where the client starts. Its password is for this run only. Interrupt ends the proxy")
		a.printLine("midwire: " + notSeen(f.local))
	}
	<-ctx.Done()
	fw.end()
	if !f.quiet {
		for _, line := range fw.Seen().Lines() {
			a.printLine("midwire: " + line)
		}
	}
	return nil
}

// notSeen says what a proxy in an environment cannot catch.
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
