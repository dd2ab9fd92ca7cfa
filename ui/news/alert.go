package news

import (
	"strings"

	"midwire/ui/term"
)

// Alerts are the ways to be told of an error while one looks at another window: not
// at all, by the terminal's bell, by a notice of the desktop as iTerm2 and most
// others know it, or as urxvt does.
func Alerts() []string { return []string{"off", "bell", "osc9", "osc777"} }

// Alert is what to write to the terminal for the latest error that was found elsewhere,
// once; "" for nothing. How is one of Alerts.
func (f *Feed) Alert(how string) string {
	it := f.alarm
	f.alarm = nil
	if it == nil {
		return ""
	}
	text := strings.ReplaceAll(string(term.Cut(it.Text, 160, "")), ";", ",")
	switch how {
	case "bell":
		return "\a"
	case "osc9":
		return "\x1b]9;midwire: " + text + "\a"
	case "osc777":
		return "\x1b]777;notify;midwire;" + text + "\a"
	}
	return ""
}
