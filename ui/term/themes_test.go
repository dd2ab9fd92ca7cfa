package term

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
)

// grounds are the backgrounds that themes are made for; the user's own is never
// painted.
var grounds = map[string][2]string{
	"":              {"#0d1117", "#ffffff"},
	"high-contrast": {"#000000", "#ffffff"},
	"catppuccin":    {"#1e1e2e", "#eff1f5"},
	"gruvbox":       {"#282828", "#fbf1c7"},
	"solarized":     {"#002b36", "#fdf6e3"},
}

// Text can be read wherever it stands: 4.5 to 1 against the background of the
// theme, and against the grounds of rows that it stands on.
func TestContrast(t *testing.T) {
	for name, ground := range grounds {
		for i, dark := range []bool{true, false} {
			th := Named(name, dark)
			texts := map[string]Style{
				"ok": th.Ok, "error": th.Err, "warning": th.Warn, "note": th.Note, "pending": th.Pend, "dim": th.Dim,
				"faint": th.Faint, "key": th.Key, "to-client": th.ToClient, "string": th.JSONString, "member": th.JSONKey,
			}
			for k := range hueCount {
				texts[fmt.Sprintf("session %d", k+1)] = th.Hue(k)
			}
			for what, st := range texts {
				if c := contrast(colourOf(t, st, "38"), hex(t, ground[i])); c < 4.5 {
					t.Errorf("%q dark %v: %s has %.1f on the background", name, dark, what, c)
				}
				for on, row := range map[string]Style{"selection": th.sel, "removed": th.Removed, "added": th.Added} {
					if what == "faint" || what == "dim" {
						continue // others stand there
					}
					if c := contrast(colourOf(t, st, "38"), colourOf(t, row, "48")); c < 3 {
						t.Errorf("%q dark %v: %s has %.1f on %s", name, dark, what, c, on)
					}
				}
			}
		}
	}
}

func TestNames(t *testing.T) {
	for _, name := range Names() {
		if Named(name, true) == Coloured(true) {
			t.Errorf("%s is like the theme without a name", name)
		}
	}
	for _, s := range schemes {
		if len(s.dark) != len(schemeRoles) || len(s.light) != len(schemeRoles) {
			t.Errorf("%s: %d and %d colours for %d roles", s.name, len(s.dark), len(s.light), len(schemeRoles))
		}
		for _, c := range append(append([]string{}, s.dark...), s.light...) {
			if _, ok := ParseStyle(c); !ok {
				t.Errorf("%s: %q is no colour", s.name, c)
			}
		}
	}
}

// colourOf is the colour in a style: 38 the text's, 48 the ground's.
func colourOf(t *testing.T, st Style, which string) (rgb [3]float64) {
	t.Helper()
	_, rest, ok := strings.Cut(string(st), ";"+which+";2;")
	if !ok {
		t.Fatalf("no %s in %q", which, st)
	}
	for i, s := range strings.SplitN(rest, ";", 4)[:3] {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatalf("%q: %v", st, err)
		}
		rgb[i] = float64(n) / 255
	}
	return rgb
}

func hex(t *testing.T, s string) (rgb [3]float64) {
	t.Helper()
	for i := range rgb {
		n, err := strconv.ParseUint(s[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		rgb[i] = float64(n) / 255
	}
	return rgb
}

// contrast is that of WCAG 2.
func contrast(a, b [3]float64) float64 {
	lum := func(c [3]float64) float64 {
		for i, v := range c {
			if v <= 0.03928 {
				c[i] = v / 12.92
			} else {
				c[i] = math.Pow((v+0.055)/1.055, 2.4)
			}
		}
		return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2]
	}
	x, y := lum(a), lum(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}
