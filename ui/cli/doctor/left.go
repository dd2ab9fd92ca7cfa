package doctor

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"

	"midwire/intercept/launch"
	"midwire/session/words"
)

// sockets says which control sockets proxies that were killed have left.
func (c *check) sockets() {
	dir := filepath.Join(filepath.Dir(c.dir), "gate")
	entries, _ := os.ReadDir(dir)
	served := 0
	var left []string
	for _, e := range entries {
		if path := filepath.Join(dir, e.Name()); answers(path) {
			served++
		} else {
			left = append(left, path)
		}
	}
	if len(left) > 0 {
		c.say(Note, fmt.Sprintf("%s of proxies that were killed, in %s", words.Count(len(left), "control socket"), dir),
			"they do no harm; delete "+strings.Join(names(left), ", "))
	}
	c.say(OK, words.CountOf(served, "proxy", "proxies")+" can be controlled now", "")
}

// answers says whether a proxy listens at a control socket.
func answers(path string) bool {
	if filepath.Ext(path) == ".sock" {
		conn, err := net.DialTimeout("unix", path, patience)
		if err != nil {
			return false
		}
		conn.Close()
		return true
	}
	var at struct{ Address string }
	data, err := os.ReadFile(path)
	return err == nil && json.Unmarshal(data, &at) == nil && listens(at.Address)
}

// names are the last names of paths, the first of them where they are many.
func names(paths []string) (out []string) {
	const most = 5
	for _, path := range paths[:min(len(paths), most)] {
		out = append(out, filepath.Base(path))
	}
	if more := len(paths) - most; more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return out
}

// trusting are the variables that name certificates.
var trusting = []string{
	"SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "DENO_CERT",
	"AWS_CA_BUNDLE", "CODEX_CA_CERTIFICATE",
}

// certificates says what is left of authorities that lived for one run.
func (c *check) certificates() {
	if left := launch.Left(filepath.Join(filepath.Dir(c.dir), "run")); len(left) > 0 {
		c.say(Note, fmt.Sprintf("%s of killed runs of midwire exec, without keys", words.Count(len(left), "folder")),
			"the next midwire exec removes them")
	}
	for _, name := range trusting {
		if path := c.Getenv(name); path != "" {
			if _, err := os.Stat(path); err != nil {
				c.say(Warning, fmt.Sprintf("%s names %s, which is not there: programs that read it may refuse every certificate", name, path),
					"unset "+name)
			}
		}
	}
	if len(c.out) == 0 {
		c.say(OK, "nothing is left of midwire exec or proxy, and midwire never changes what the system trusts", "")
	}
}
