package config

import (
	"reflect"
	"strings"
	"testing"

	"midwire/ui"
	"midwire/ui/term"
)

const sample = `theme = "custom"
mouse = false
time = "clock"
detail = "right"

[colours]
ok = "#00ff00 bold"
selection = "on:17 reverse"

[keys]
"global.follow" = ["Z", "ctrl+w"]
messages.mark = []
global.mark = ["*"]
`

func TestParse(t *testing.T) {
	c, err := Parse("config.toml", []byte(strings.Replace(sample, "messages.mark = []\n", "", 1)))
	if err != nil {
		t.Fatal(err)
	}
	want := Config{Theme: "custom", Settings: ui.Settings{
		NoMouse: true, Time: "clock", Detail: "right",
		Colours: map[string]string{"ok": "#00ff00 bold", "selection": "on:17 reverse"},
		Keys:    map[string][]string{"global.follow": {"Z", "ctrl+w"}, "global.mark": {"*"}},
	}}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("%+v\nwant %+v", c, want)
	}
	if c, err = Parse("config.toml", nil); err != nil || !reflect.DeepEqual(c, Config{}) {
		t.Errorf("an empty file: %+v, %v", c, err)
	}
}

func TestFaults(t *testing.T) {
	for in, want := range map[string]string{
		"theme = \"dark\"\nthem = 1\n":                         `c.toml:2: unknown key "them"; there are theme, ascii, mouse, follow, time, detail, alert, prune-older, prune-keep, [colours] and [keys]`,
		"theme = \"neon\"":                                     `c.toml:1: theme must be one of "auto", "light", "dark", "high-contrast", "catppuccin", "gruvbox", "solarized", "terminal", "custom"`,
		"ascii = \"yes\"":                                      `c.toml:1: ascii must be true or false`,
		"\n\ntheme = ":                                         `c.toml:3: `,
		"time = \"x\"\ntime = \"clock\"":                       `c.toml:2: `, // twice
		"[colors]\nok = \"1\"":                                 `c.toml:1: unknown table [colors]; there are [colours] and [keys]`,
		"[colours]\nfoo = \"1\"":                               `c.toml:2: unknown colour "foo"; there are ok, error, `,
		"[colours]\nok = \"green\"":                            `c.toml:2: colours.ok: a colour is "#rrggbb"`,
		"[colours]\nok = 4":                                    `c.toml:2: colours.ok: a colour is`,
		"keys = 1":                                             `c.toml:1: keys must be a table: [keys]`,
		"[keys]\n\n\"global.follow\" = \"W\"":                  `c.toml:3: keys.global.follow must be a list of keys`,
		"[keys]\n\"list.follow\" = [\"W\"]":                    `c.toml:2: keys.list.follow: unknown action; did you mean global.follow? midwire config lists them`,
		"[keys]\nglobal.follow = [\"q\"]":                      `c.toml:2: keys.global.follow: key "q" is also that of global.quit; give that one another key, or none: "global.quit" = []`,
		"keys = { global.follow = [\"ctrl+shift+meta\"] }":     `c.toml:1: keys.global.follow: "ctrl+shift+meta" is no key`,
		"[keys]\nglobal.interrupt = []":                        `c.toml:2: keys.global.interrupt: ctrl+c must be among its keys`,
		"theme = \"a\"\nascii = 1\n[keys]\nglobal.x = [\"y\"]": "c.toml:1: theme must be one of \"auto\", \"light\", \"dark\", \"high-contrast\", \"catppuccin\", \"gruvbox\", \"solarized\", \"terminal\", \"custom\"\nc.toml:2: ascii must be true or false\nc.toml:4: keys.global.x: unknown action",
	} {
		_, err := Parse("c.toml", []byte(in))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q:\n%v\nwant %s", in, err, want)
		}
	}
}

// TestPrintIsParsed: what is printed can be the file.
func TestPrintIsParsed(t *testing.T) {
	full, err := Parse("x", []byte(strings.Replace(sample, "messages.mark = []\n", "", 1)))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []Config{{}, full} {
		text := Print(c, "two\nlines")
		again, err := Parse("x", []byte(text))
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if c.Theme == "" {
			c.Theme, c.Time, c.Detail = "auto", "start", "auto"
		}
		c.Alert = "off"
		if !reflect.DeepEqual(again, c) {
			t.Errorf("%+v, want %+v", again, c)
		}
		// The same with every comment sign before a setting taken away.
		var all []string
		for line := range strings.Lines(text) {
			if rest, ok := strings.CutPrefix(line, "#"); ok && !strings.HasPrefix(rest, " ") {
				line = rest
			}
			all = append(all, line)
		}
		again, err = Parse("x", []byte(strings.Join(all, "")))
		if err != nil {
			t.Fatal(err)
		}
		if len(again.Keys) != len(ui.Bindings(nil)) || len(again.Colours) != len(term.Roles()) {
			t.Errorf("%d keys and %d colours", len(again.Keys), len(again.Colours))
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte(Print(Config{}, "")))
	f.Add([]byte("keys = {a = {b = ['x']}}\n[[keys]]\n[a.b]\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse("x", data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "x:") {
				t.Fatalf("no line: %v", err)
			}
			return
		}
		if c.Theme == "" {
			c.Theme = "auto"
		}
		if c.Time == "" {
			c.Time = "start"
		}
		if c.Detail == "" {
			c.Detail = "auto"
		}
		if c.Alert == "" {
			c.Alert = "off"
		}
		again, err := Parse("x", []byte(Print(c, "")))
		if err != nil || !reflect.DeepEqual(again, c) {
			t.Fatalf("%+v becomes %+v, %v", c, again, err)
		}
	})
}
