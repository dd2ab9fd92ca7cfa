package term

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
)

// grounds are the backgrounds that the theme is made for; the user's own is never painted.
var grounds = [2]string{"#0d1117", "#ffffff"}

// Text can be read wherever it stands: 4.5 to 1 against the background of the
// theme, and against the grounds of rows that it stands on.
func TestContrast(t *testing.T) {
	for range 1 {
		for i, dark := range []bool{true, false} {
			th := Coloured(dark)
			texts := map[string]Style{
				"ok": th.Ok, "error": th.Err, "warning": th.Warn, "note": th.Note, "pending": th.Pend, "dim": th.Dim,
				"faint": th.Faint, "key": th.Key, "to-client": th.ToClient, "string": th.JSONString, "member": th.JSONKey,
			}
			for k := range hueCount {
				texts[fmt.Sprintf("session %d", k+1)] = th.Hue(k)
			}
			for what, st := range texts {
				if c := contrast(colourOf(t, st, "38"), hex(t, grounds[i])); c < 4.5 {
					t.Errorf("dark %v: %s has %.1f on the background", dark, what, c)
				}
				for on, row := range map[string]Style{"selection": th.sel, "removed": th.Removed, "added": th.Added} {
					if what == "faint" || what == "dim" {
						continue // others stand there
					}
					if c := contrast(colourOf(t, st, "38"), colourOf(t, row, "48")); c < 3 {
						t.Errorf("dark %v: %s has %.1f on %s", dark, what, c, on)
					}
				}
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
