// Package launch starts a client so that its traffic comes through a forward
// proxy of ours: with an environment that the common runtimes read, and with
// files of certificates to trust.
package launch

import (
	"fmt"
	"net/netip"
	"runtime"
	"slices"
	"strings"

	"midwire/session/words"
)

// variable is one that a client reads.
type variable struct {
	name string
	kind kind
	by   string // who reads it
}

type kind int

const (
	proxyURL kind = iota // the proxy
	bypass               // hosts that are reached without it
	flag                 // 1
	adds                 // file of certificates that are trusted beside the usual ones
	replaces             // file of certificates that are trusted in their place
)

// variables are what is set, and who reads it. Names in lower case are read
// first by some, and alone by curl for http.
var variables = []variable{
	{"HTTPS_PROXY", proxyURL, "most"},
	{"https_proxy", proxyURL, "most"},
	{"HTTP_PROXY", proxyURL, "most"},
	{"http_proxy", proxyURL, "curl"},
	{"GLOBAL_AGENT_HTTP_PROXY", proxyURL, "global-agent (Node)"},
	{"NO_PROXY", bypass, "most"},
	{"no_proxy", bypass, "most"},
	{"GLOBAL_AGENT_NO_PROXY", bypass, "global-agent (Node)"},
	{"NODE_USE_ENV_PROXY", flag, "Node from 22.21 and 24"},
	{"NODE_EXTRA_CA_CERTS", adds, "Node, Bun, Deno, Claude Code"},
	{"DENO_CERT", adds, "Deno"},
	{"SSL_CERT_FILE", replaces, "Go (not on macOS and Windows), Python, OpenSSL, Bun"},
	{"REQUESTS_CA_BUNDLE", replaces, "requests (Python)"},
	{"CURL_CA_BUNDLE", replaces, "curl, requests (Python)"},
	{"CODEX_CA_CERTIFICATE", replaces, "Codex"},
}

// Setting is what a variable is set to.
type Setting struct{ Name, Value string }

// bypassed is what NO_PROXY is to be: what the user has, without the hosts that
// are to be seen, and this machine unless it is one of them.
func bypassed(given string, hosts, local []string) string {
	var all []string
	for entry := range strings.SplitSeq(given, ",") {
		entry = strings.TrimSpace(entry)
		if entry != "" && !slices.ContainsFunc(hosts, func(h string) bool { return covers(entry, h) }) {
			all = append(all, entry)
		}
	}
	for _, l := range local {
		if !slices.Contains(hosts, l) && !slices.Contains(all, l) {
			all = append(all, l)
		}
	}
	return strings.Join(all, ",")
}

// covers reports whether an entry of NO_PROXY stands for a host, for one of the
// programs that read it at least.
func covers(entry, host string) bool {
	entry = words.Fold(entry)
	if p, err := netip.ParsePrefix(entry); err == nil {
		ip, err := netip.ParseAddr(host)
		return err == nil && p.Contains(ip)
	}
	if i := strings.LastIndexByte(entry, ':'); i >= 0 && strings.Count(entry, ":") == 1 {
		entry = entry[:i]
	}
	entry = strings.TrimPrefix(strings.TrimPrefix(entry, "*"), ".")
	return entry == "" || host == entry || strings.HasSuffix(host, "."+entry)
}

// Apply returns an environment with these settings in place of what it says.
func Apply(env []string, settings []Setting) []string {
	out := slices.DeleteFunc(slices.Clone(env), func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		return slices.ContainsFunc(settings, func(s Setting) bool { return sameVariable(s.Name, name) })
	})
	for _, s := range settings {
		out = append(out, s.Name+"="+s.Value)
	}
	return out
}

// sameVariable reports whether two names are one variable.
func sameVariable(a, b string) bool {
	return a == b || runtime.GOOS == "windows" && strings.EqualFold(a, b)
}

// Shells are those that Script writes for.
var Shells = []string{"sh", "fish", "powershell"}

// Script is what sets the variables in a shell.
func Script(shell string, settings []Setting) string {
	var b strings.Builder
	for _, s := range settings {
		switch shell {
		case "fish":
			v := strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s.Value)
			fmt.Fprintf(&b, "set -gx %s '%s'\n", s.Name, v)
		case "powershell":
			fmt.Fprintf(&b, "$env:%s = '%s'\n", s.Name, strings.ReplaceAll(s.Value, "'", "''"))
		default:
			fmt.Fprintf(&b, "export %s='%s'\n", s.Name, strings.ReplaceAll(s.Value, "'", `'\''`))
		}
	}
	return b.String()
}
