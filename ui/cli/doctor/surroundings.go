package doctor

import (
	"cmp"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/charmbracelet/colorprofile"
	"golang.org/x/term"

	"midwire/session/record"
	"midwire/session/words"
	screen "midwire/ui/term"
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

// narrow and low say from where on the screen has room for two panes.
const narrow, flat = 80, 24

func (c *check) terminal() {
	fd := int(c.Out.Fd())
	if !term.IsTerminal(fd) {
		c.say(Note, "this goes to no terminal, so nothing is known of one", "call midwire doctor where the screen is to be")
		return
	}
	name := c.Getenv("TERM")
	if (name == "" || name == "dumb") && c.GOOS != "windows" {
		c.say(Warning, fmt.Sprintf("TERM is %q: a terminal that moves no cursor", name),
			"use another one; midwire ls, show and check print lines, and midwire http --no-ui does as it goes")
		return
	}
	w, h, err := term.GetSize(fd)
	if err != nil {
		w, h = 0, 0
	}
	c.size(name, w, h)
	if c.GOOS != "windows" && !utf8(c.Getenv) && !c.ASCII() {
		c.say(Note, "the locale does not say UTF-8, so frames and signs may look odd",
			"LC_ALL=C.UTF-8, or midwire --ascii")
	}
}

func (c *check) size(name string, w, h int) {
	says := strings.TrimSpace(fmt.Sprintf("%s, %d columns, %d lines", name, w, h))
	switch {
	case w == 0 || h == 0:
		c.say(Note, name+" does not say how large it is", "stty size should print lines and columns")
	case w < narrow || h < flat:
		c.say(Note, says, fmt.Sprintf("%d by %d and more show the list and the details", narrow, flat))
	default:
		c.say(OK, says, "")
	}
}

// utf8 says whether the locale has it: the first variable that is set decides.
func utf8(getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := words.Fold(getenv(name)); value != "" {
			return strings.Contains(value, "utf-8") || strings.Contains(value, "utf8")
		}
	}
	return false
}

// colour says how many there are, and why.
func (c *check) colour() {
	if c.Getenv("NO_COLOR") != "" {
		c.say(OK, "none: NO_COLOR is set. Signs and words say the same", "")
		return
	}
	if !term.IsTerminal(int(c.Out.Fd())) {
		return // terminal says so
	}
	switch colorprofile.Detect(c.Out, c.variables()) {
	case colorprofile.TrueColor:
		c.say(OK, "24 bit", "")
	case colorprofile.ANSI256:
		c.say(OK, "256 colours", "COLORTERM=truecolor, if the terminal has more")
	case colorprofile.ANSI:
		c.say(Note, "16 colours, those of the terminal's palette", "TERM=xterm-256color, if the terminal has more")
	default:
		c.say(Note, "none", "TERM=xterm-256color, if the terminal has some")
	}
}

// clipboard says whether copying can work: midwire sends OSC 52, and no terminal
// says whether it took it.
func (c *check) clipboard() {
	if term.IsTerminal(int(c.Out.Fd())) {
		c.out = append(c.out, clipboard(c.Getenv))
	}
}

func clipboard(getenv func(string) string) Result {
	const other = "x in the screen writes to a file instead"
	say := func(state State, says, next string) Result { return Result{"clipboard", state, says, next} }
	switch can := screen.Probe(getenv); {
	case can.Between == "tmux":
		return say(Note, "tmux passes it on when it is told to", "tmux set -g set-clipboard on")
	case can.Between == "screen":
		return say(Note, "screen does not pass it on", other)
	case can.Name == "Apple_Terminal":
		return say(Note, "Terminal.app takes nothing from programs", other+"; iTerm2, Ghostty, kitty and WezTerm do")
	case can.Copy == screen.CopyAllowed:
		return say(OK, "iTerm2 takes it where its settings allow it",
			"Settings, General, Selection: applications in terminal may access clipboard")
	case can.Copy == screen.CopyTaken:
		return say(OK, "the terminal takes what midwire copies (OSC 52)", "")
	case can.Copy == screen.CopyRefused:
		return say(Note, "terminals with VTE, like GNOME's, may take nothing from programs", other)
	}
	return say(Note, "midwire copies with OSC 52; this terminal does not say whether it takes that", "if nothing arrives, "+other)
}
