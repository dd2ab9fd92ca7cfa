package config

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"midwire/ui"
)

const sample = `theme = "dark"
mouse = false
time = "clock"

[keys]
"global.follow" = ["Z", "ctrl+w"]
global.time = ["*"]
`

func TestParse(t *testing.T) {
	c, err := Parse("config.toml", []byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	want := Config{Theme: "dark", Settings: ui.Settings{
		NoMouse: true, Time: "clock",
		Keys: map[string][]string{"global.follow": {"Z", "ctrl+w"}, "global.time": {"*"}},
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
		"theme = \"neon\"":                                     `c.toml: theme must be one of "auto", "light", "dark"`,
		"ascii = \"yes\"":                                      `c.toml: ascii must be true or false`,
		"\n\ntheme = ":                                         `c.toml:3: `,
		"time = \"x\"\ntime = \"clock\"":                       `c.toml:2: `, // twice
		"keys = 1":                                             `c.toml: keys must be a table: [keys]`,
		"[keys]\n\n\"global.follow\" = \"W\"":                  `c.toml: keys.global.follow must be a list of keys`,
		"[keys]\nglobal.follow = [\"q\"]":                      `c.toml: keys.global.follow: key "q" is also that of global.quit; give that one another key, or none: "global.quit" = []`,
		"keys = { global.follow = [\"ctrl+shift+meta\"] }":     `c.toml: keys.global.follow: "ctrl+shift+meta" is no key`,
		"[keys]\nglobal.interrupt = []":                        `c.toml: keys.global.interrupt: ctrl+c must be among its keys`,
		"theme = \"a\"\nascii = 1\n[keys]\nglobal.x = [\"y\"]": "c.toml: ascii must be true or false\nc.toml: theme must be one of",
	} {
		_, err := Parse("c.toml", []byte(in))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q:\n%v\nwant %s", in, err, want)
		}
	}
}

// TestUnknown: a key, table or action that does not exist is reported and ignored.
func TestUnknown(t *testing.T) {
	c, err := Parse("c.toml", []byte("them = 1\ntheme = \"dark\"\n[colors]\nok = \"1\"\n[keys]\n\"list.follow\" = [\"W\"]\n\"global.time\" = [\"*\"]\n"))
	want := []string{
		"c.toml: unknown action keys.list.follow; midwire config lists them",
		`c.toml: unknown key "them"; there are theme, ascii, mouse, follow, time, prune-older, prune-keep and [keys]`,
		"c.toml: unknown table [colors]; there is [keys]",
	}
	if err != nil || c.Theme != "dark" || len(c.Keys) != 1 || !slices.Equal(c.Unknown, want) {
		t.Errorf("%v %+v", err, c)
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
			c.Theme, c.Time = "auto", "start"
		}
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
		if len(again.Keys) != len(ui.Bindings(nil)) {
			t.Errorf("%d keys", len(again.Keys))
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte(Print(Config{}, "")))
	f.Add([]byte("[other]\n[[other]]\n"))
	f.Add([]byte("keys = {a = {b = ['x']}}\n[[keys]]\n[a.b]\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse("x", data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "x:") {
				t.Fatalf("no file: %v", err)
			}
			return
		}
		c.Unknown = nil // warnings, which a configuration does not print
		if c.Theme == "" {
			c.Theme = "auto"
		}
		if c.Time == "" {
			c.Time = "start"
		}
		again, err := Parse("x", []byte(Print(c, "")))
		if err != nil || !reflect.DeepEqual(again, c) {
			t.Fatalf("%+v becomes %+v, %v", c, again, err)
		}
	})
}
