package rules

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/wire"
)

var serverDidNotStart = &diagnose.Rule{
	ID:       "server-did-not-start",
	Title:    "The server's command could not be run",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	Help: diagnose.Help{
		Means:   "There is no server: the operating system could not run its command. The client shows \"spawn … ENOENT\" or \"Connection closed\" (-32000).",
		Wire:    "The start of the process carries an error, and nothing follows.",
		Cause:   "The command is not in the PATH that the client hands on. Programs with windows have a shorter PATH than a shell, so that npx, uvx, node or python are not found there. On Windows npx is a .cmd file, which only a shell can run.",
		Fix:     `In the client's configuration: give the absolute path of the command (which npx), or set PATH in the server's env; on Windows use "command": "cmd", "args": ["/c", "npx", …].`,
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
			f.Cause = "The file exists and is no program, belongs to another kind of machine, or may not be executed."
			f.Fix = "In the client's configuration: name the interpreter and give it the file (node server.js, python server.py), or make the file executable (chmod +x)."
		}
		c.ReportAs("", f)
	},
}
