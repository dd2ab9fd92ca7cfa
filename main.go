// Command midwire sits between an MCP client and an MCP server, shows what
// they say, grouped by session, and records it. See README.md.
package main

import (
	"os"
	"runtime/debug"
	"strings"

	"midwire/ui/cli"
)

// main exits with 0, with 1 when it found something, with 2 when midwire was
// called wrongly, with 3 when it failed itself; as a stdio tap, with the server's code.
func main() {
	os.Exit(cli.Main(os.Args[1:], cli.Env{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Getenv: os.Getenv, UserHome: os.UserHomeDir, UserConfig: os.UserConfigDir,
		Version: version(),
	}))
}

// release is the version of a build that Go does not know one for; the linker sets
// it (-X main.release=v1.2.3).
var release string

// version is that of the release, or of the module, or "devel".
func version() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok && strings.HasPrefix(info.Main.Version, "v") {
		return info.Main.Version
	}
	return "devel"
}
