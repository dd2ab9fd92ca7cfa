package rules

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/wire"
)

var serverDidNotStart = &diagnose.Rule{
	ID:       "server-did-not-start",
	Title:    "The server's command could not be started",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	Help: diagnose.Help{
		Means:   `There is no server: the operating system could not run its command. The client shows "spawn … ENOENT" or "Connection closed" (-32000).`,
		Wire:    "The start of the process has an error, and nothing follows.",
		Cause:   "The command is not in the PATH that the client passes on. Desktop programs have a shorter PATH than a shell, so npx, uvx, node or python are not found there. On Windows npx is a .cmd file, which only a shell can run.",
		Fix:     `In the client's configuration: use the absolute path of the command (which npx), or set PATH in the server's env; on Windows use "command": "cmd", "args": ["/c", "npx", …].`,
		Spec:    "2025-11-25 basic/transports: stdio",
		Example: `start {"command":["npx","-y","some-server"],"error":"… not found"}`,
	},
	On: diagnose.Processes,
	Check: func(c *diagnose.Case) {
		trouble := text(wire.Get(c.Data, "error"))
		if c.Frame.Kind != wire.KindStart || trouble == "" {
			return
		}
		trouble, _, _ = strings.Cut(strings.TrimSuffix(trouble, "."), ". ") // advice follows
		f := diagnose.Finding{Message: "The server could not be started: " + trouble + "."}
		if strings.Contains(trouble, "cannot be run") || strings.Contains(trouble, "permission denied") {
			f.Cause = "The file exists but is not a program, was built for another architecture, or is not executable."
			f.Fix = "In the client's configuration: use the interpreter with the file as its argument (node server.js, python server.py), or make the file executable (chmod +x)."
		}
		c.ReportAs("", f)
	},
}
