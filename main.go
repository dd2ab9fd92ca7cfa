// Command midwire sits between an MCP client and an MCP server. It shows their
// messages grouped by session, and records them. See README.md.
package main

import (
	"os"
	"runtime/debug"
	"strings"

	"midwire/ui/cli"
)

// main exits with 0; with 1 when it found a problem; with 2 for a usage error; with 3
// when midwire failed; as a stdio tap, with the server's code.
func main() {
	os.Exit(cli.Main(os.Args[1:], cli.Env{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Getenv: os.Getenv, UserHome: os.UserHomeDir, UserConfig: os.UserConfigDir,
		Version: version(),
	}))
}

// release is the version when Go has no build information; the linker sets it
// (-X main.release=v1.2.3).
var release string

// version returns the version of the release, else of the module, else "devel".
func version() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok && strings.HasPrefix(info.Main.Version, "v") {
		return info.Main.Version
	}
	return "devel"
}
