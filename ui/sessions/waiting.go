package sessions

import (
	"strings"

	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

// WriteWaiting says how to get the first message into a live recording. url is where
// clients reach the proxy of this process, which forwards to upstream.
func WriteWaiting(d *document.Doc, sc *library.Scene, r *library.Recording, url, upstream string) {
	th := sc.Theme
	if r.Tap != "http" {
		d.Text(term.Bold, "The server runs. Nothing was said yet.")
		d.Blank()
		d.Field(th, "command", term.S(term.Plain, safe.Line(r.Where)))
		d.Blank()
		d.Text(th.Dim, "Messages appear here as soon as the client speaks.")
		return
	}
	d.Text(term.Bold, "No client has connected yet.")
	d.Blank()
	listen, target, _ := strings.Cut(r.Where, " → ")
	if OwnTap(r, url) {
		d.Field(th, "clients", term.S(term.Bold, safe.Line(url)))
		target = upstream
	} else {
		d.Field(th, "clients", term.S(th.Dim, "connect to "), term.S(term.Plain, safe.Line(listen)))
	}
	if target != "" {
		d.Field(th, "forwards", term.S(th.Dim, "to "), term.S(term.Plain, safe.Line(target)))
	}
	d.Blank()
	d.Text(th.Dim, "Nothing happens? The client must use this URL, not the server's, and be restarted.")
}

// OwnTap says whether a live recording comes from the proxy that clients reach at
// url.
func OwnTap(r *library.Recording, url string) bool {
	listen, _, _ := strings.Cut(r.Where, " → ")
	return r.Live && r.Tap == "http" && listen != "" && strings.Contains(url, listen)
}
