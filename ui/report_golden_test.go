package ui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
)

func TestFindingsScreens(t *testing.T) {
	for name, keys := range map[string]string{
		"findings":         "!",
		"findings-all":     "! s j",
		"findings-muted":   "! m",
		"findings-none":    "! e w n",
		"findings-reading": "! tab j j",
		"findings-proof":   "! ] tab tab right",
		"findings-help":    "! ?",
		"findings-jumped":  "! ] tab enter",
		"findings-only":    "! ] f",
	} {
		screens(t, name, func(t *testing.T, w, h int) *driver {
			d := drive(t, broken(t), Options{}, w, h)
			d.press(strings.Fields(keys)...)
			return d
		})
	}
}

func TestFindingsLooks(t *testing.T) {
	for _, tt := range []struct {
		name string
		opts Options
	}{
		{"dark", Options{Theme: "dark"}},
		{"light", Options{Theme: "light"}},
		{"nocolor", Options{NoColor: true}},
		{"ascii", Options{NoColor: true, ASCII: true}},
	} {
		for _, size := range sizes.layout {
			name := fmt.Sprintf("look-findings-%s-%dx%d", tt.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					d := drive(t, broken(t), tt.opts, size[0], size[1])
					d.press("!", "j")
					got := d.m.View().Content
					if tt.opts.NoColor && strings.Contains(got, ";38;") {
						t.Error("a hue where there may be none")
					}
					if size == [2]int{120, 36} {
						golden(t, name, d.colours())
					}
				})
			})
		}
	}
}
