package ui

import (
	"testing"
	"testing/synctest"
)

// TestPage reads a message on its page: both sides, the tabs, what is around it.
func TestPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 160, 45)
		d.press("[", "[", "enter")
		d.want("✗ delete_file  tools/call #21", "claude-code", "╭─ Timing", "ARGUMENTS", `"/srv/old.db"`, "RESULT", "╭─ Request", "╭─ Response", "shown above")
		golden(t, "page-160x45", d.screen())
		d.press("tab", "G", "k", "k")
		d.want("result.isError  boolean")
		d.press("l", "l")
		d.want("[Response]")
		d.press("h", "h", "tab", "g")
		d.want("╭─ Request")
		d.press("esc")
		d.want("╭─ Messages")
	})
}
