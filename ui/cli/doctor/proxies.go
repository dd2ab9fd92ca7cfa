package doctor

import (
	"cmp"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"midwire/session/words"
)

// proxies says what the variables of proxies mean for traffic through midwire.
func (c *check) proxies() {
	bypass := cmp.Or(c.Getenv("no_proxy"), c.Getenv("NO_PROXY"))
	found := false
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		for _, name := range []string{name, words.Fold(name)} {
			value := c.Getenv(name)
			if value == "" || name == "http_proxy" && c.GOOS == "windows" { // one variable there
				continue
			}
			found = true
			c.proxy(name, value)
		}
	}
	switch {
	case !found:
		c.say(OK, "no variable names one", "")
	case !spares(bypass):
		c.say(Warning, "a client with these variables may ask that proxy for 127.0.0.1, where midwire http listens",
			"NO_PROXY=localhost,127.0.0.1,::1 where the client starts")
	default:
		c.say(OK, "NO_PROXY spares this machine: "+bypass, "")
	}
}

// proxy says how one variable stands. Only what is on this machine is asked.
func (c *check) proxy(name, value string) {
	u, err := url.Parse(value)
	if err != nil || u.Host == "" {
		u, err = url.Parse("http://" + value)
	}
	if err != nil || u.Host == "" {
		c.say(Warning, name+" is set, and is no URL", "unset "+name)
		return
	}
	host := u.Host
	if u.Port() == "" {
		host = net.JoinHostPort(u.Hostname(), cmp.Or(map[string]string{"https": "443", "socks5": "1080"}[u.Scheme], "80"))
	}
	if local(u.Hostname()) && !listens(host) {
		c.say(Warning, fmt.Sprintf("%s names %s, where nothing listens: a proxy of midwire that has ended, perhaps", name, host),
			"unset "+name)
		return
	}
	use := "midwire http reaches remote servers through it"
	if strings.EqualFold(name, "ALL_PROXY") {
		use = "midwire does not read it, but some clients and servers do"
	}
	c.say(Note, fmt.Sprintf("%s names %s: %s", name, host, use), "")
}

// spares says whether NO_PROXY names this machine.
func spares(bypass string) bool {
	return slices.ContainsFunc(strings.Split(bypass, ","), func(one string) bool {
		one = strings.TrimSpace(one)
		return one == "*" || one == "127.0.0.1" || one == "127.0.0.0/8"
	})
}

// local says whether a name is that of this machine.
func local(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
