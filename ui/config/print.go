package config

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"midwire/session/library/prune"
	"midwire/ui"
)

// setting is one of the settings that are not in a table.
type setting struct {
	name, help string
	words      []string           // that it can be
	check      func(string) error // of what can be many things; words and it are nil for true or false
	text       func(*Config) *string
	flag       func(*Config) *bool
	inverse    bool // of the flag
}

func settings() []setting {
	return []setting{
		{name: "theme", help: "auto: dark or light, as the terminal is", words: ui.Themes(), text: func(c *Config) *string { return &c.Theme }},
		{name: "ascii", help: "signs and lines of ASCII only", flag: func(c *Config) *bool { return &c.ASCII }},
		{name: "mouse", help: "clicks and the wheel; alt+m turns it on and off", flag: func(c *Config) *bool { return &c.NoMouse }, inverse: true},
		{name: "follow", help: "a live recording is shown from its newest message on", flag: func(c *Config) *bool { return &c.NoFollow }, inverse: true},
		{name: "time", help: "the column of time: since the start, of the day, since the message before", words: ui.TimeFormats(), text: func(c *Config) *string { return &c.Time }},
		{name: "prune-older", help: "the screen deletes recordings at its start that nothing was written to for longer, like \"30d\"; \"\": none; see midwire prune --help", check: checkOlder, text: func(c *Config) *string { return &c.PruneOlder }},
		{name: "prune-keep", help: "and the oldest, until the rest takes no more, like \"2GiB\"; \"\": none", check: checkKeep, text: func(c *Config) *string { return &c.PruneKeep }},
	}
}

func checkOlder(text string) error { _, err := prune.ParseRule(text, ""); return err }

func checkKeep(text string) error { _, err := prune.ParseRule("", text); return err }

func find(name string) *setting {
	all := settings()
	for i := range all {
		if all[i].name == name {
			return &all[i]
		}
	}
	return nil
}

func names() (out []string) {
	for _, s := range settings() {
		out = append(out, s.name)
	}
	return out
}

// Print writes a configuration with all there is to configure, so that it can
// be the beginning of a file: Parse reads the same from it. Keys
// that are as ever stand behind a comment sign: a file should not hold on to
// what a later version changes. head is what to say first.
func Print(c Config, head string) string {
	var b strings.Builder
	for line := range strings.Lines(head) {
		fmt.Fprintf(&b, "# %s\n", strings.TrimRight(line, "\n"))
	}
	for _, s := range settings() {
		value := ""
		switch {
		case s.flag != nil:
			value = strconv.FormatBool(*s.flag(&c) != s.inverse)
			fmt.Fprintf(&b, "\n# %s\n", s.help)
		case s.check != nil:
			value = strconv.Quote(*s.text(&c))
			fmt.Fprintf(&b, "\n# %s\n", s.help)
		default:
			value = strconv.Quote(cmp.Or(*s.text(&c), s.words[0]))
			fmt.Fprintf(&b, "\n# %s\n# %s\n", s.help, strings.Join(s.words, ", "))
		}
		fmt.Fprintf(&b, "%s = %s\n", s.name, value)
	}
	b.WriteString("\n[keys]\n# Lists of keys; [] takes them away.\n")
	for _, k := range ui.Bindings(c.Keys) {
		sign := "#"
		if _, own := c.Keys[k.ID]; own {
			sign = ""
		}
		fmt.Fprintf(&b, "%-33s = %-26s # %s\n", sign+quote(k.ID), list(k.Keys), k.Help)
	}
	return b.String()
}

func list(keys []string) string {
	out := slices.Clone(keys)
	for i := range out {
		out[i] = quote(out[i])
	}
	return "[" + strings.Join(out, ", ") + "]"
}

func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + `"`
}
