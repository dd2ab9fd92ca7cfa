package cli

import (
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"midwire/intercept"
	"midwire/session/record"
	"midwire/ui/cli/gating"
)

// run is for launchers that swallow a double dash. Flags of midwire stand
// before the server's command; from that on everything is the server's.
func (a *app) run() *cobra.Command {
	var broken gating.Faults
	c := &cobra.Command{
		Use:   "run [flags] COMMAND [ARG…]",
		Short: "Proxy a stdio server (same as midwire -- COMMAND)",
		Long: `Runs the server COMMAND with midwire in front of it, like midwire -- COMMAND.
Flags of midwire stand before COMMAND; everything from COMMAND on is the
server's, a -- and flags too.`,
		Example: "  midwire run --label everything npx -y @modelcontextprotocol/server-everything",
		Args:    cobra.MinimumNArgs(1), ValidArgsFunction: completeFiles,
		RunE: func(_ *cobra.Command, args []string) error { return a.stdio(args, broken) },
	}
	c.Flags().SetInterspersed(false)
	broken.Flags(c.Flags())
	return c
}

// stdio is the proxy that a client launches in place of a server. It exits as
// the server ended: with its code, or by its signal.
func (a *app) stdio(command []string, broken gating.Faults) error {
	started := time.Now()
	cwd, _ := os.Getwd()
	opt, err := a.masking()
	if err != nil {
		return err
	}
	g, err := broken.Gate(a.gates, "stdio")
	if err != nil {
		return err
	}
	socket, serve := a.gates.Control(g, broken.Controlled, a.onTrouble)
	defer socket.Close()
	header := record.Header{
		Started: started, Tap: "stdio", Label: filepath.Base(command[0]), Command: command, Cwd: cwd, Control: socket.Address,
	}
	tap := intercept.Stdio{
		Command: command, Stdin: a.In, Stdout: a.Out, Stderr: a.Err, Started: started,
		Record: func() *record.Writer {
			rec := a.recorder(header, opt)
			go serve()
			return rec
		}, OnTrouble: a.onTrouble,
		Gate: g,
	}
	exit, err := tap.Run()
	if err != nil {
		a.onTrouble(err)
	}
	if exit.Signal != nil {
		socket.Close()
		intercept.DieOf(exit.Signal)
	}
	return exitStatus(exit.Code)
}
