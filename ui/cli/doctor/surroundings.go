package doctor

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"midwire/session/record"
)

// program says which midwire this is, and whether a client would find the same.
func (c *check) program() {
	self, err := os.Executable()
	if err != nil {
		self = "midwire"
	}
	c.say(OK, fmt.Sprintf("midwire %s for %s/%s, made with %s: %s", c.Version, runtime.GOOS, runtime.GOARCH, runtime.Version(), self), "")
	if strings.Contains(filepath.ToSlash(self), "/go-build") {
		c.say(Note, "it is in a temporary folder of go run", "go build -o midwire . makes one that stays")
		return
	}
	found, err := exec.LookPath("midwire")
	switch {
	case err != nil:
		c.say(Note, "midwire is not in the PATH",
			"put it there, or write its whole path into configurations, as midwire wrap does")
	case !Same(found, self):
		c.say(Warning, "the PATH finds another midwire first: "+found,
			"remove one of the two, or change the order of the PATH; midwire wrap writes the path of the one that is called")
	}
	if c.dir != "" {
		c.running()
	}
}

// running compares the versions of the proxies that run with this one.
func (c *check) running() {
	all, _ := record.List(c.dir)
	other := map[string]int{}
	for _, r := range all {
		if r.Live && r.Err == nil && r.Header.Version != c.Version {
			other[r.Header.Version]++
		}
	}
	for version, n := range other {
		c.say(Note, fmt.Sprintf("proxies that run as midwire %s: %d", version, n),
			"nothing has to be done; the next start of their clients uses what their configurations name")
	}
}

// Same says whether two paths are of one file.
func Same(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

func (c *check) configuration() {
	there, path, err := c.Config()
	switch {
	case err != nil:
		c.say(Failed, err.Error(), "correct the file; midwire config > config.toml writes one with all that there is")
	case there:
		c.say(OK, path, "")
	default:
		c.say(OK, "none; what holds without one is what midwire config prints", "")
	}
}
