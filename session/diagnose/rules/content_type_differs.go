package rules

import (
	"bytes"
	"encoding/base64"
	"strings"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var contentTypeDiffers = &diagnose.Rule{
	ID:      "content-type-differs",
	On:      diagnose.Results,
	Methods: []string{mcp.ToolsCall, mcp.ResourcesRead, mcp.PromptsGet},
	Check: func(c *diagnose.Case) {
		if c.Call == nil || c.Call.Dir != wire.ToServer ||
			!bytes.Contains(c.Message.Result, []byte(`data"`)) && !bytes.Contains(c.Message.Result, []byte(`blob"`)) {
			return
		}
		one := func(what string, item []byte, data string) {
			raw, said := wire.Get(item, data), text(wire.Get(item, "mimeType"))
			if len(raw) < 8 || raw[0] != '"' {
				return
			}
			is := sniffed(raw[1:])
			switch {
			case is != "" && said != is && !(said == "image/jpg" && is == "image/jpeg"):
				c.ReportAs(is+said, diagnose.Finding{
					Severity: wrongPicture(what, is, said), Frames: []uint64{c.N, c.Call.N},
					Message: "The " + what + " of " + about(c.Call) + " (" + frame(c.N) + ") has the mimeType " + quoteOr(said, "none") +
						", and its bytes are " + is + ". Clients that go by the mimeType do not show it, or refuse it.",
				})
			case is == "" && strings.HasPrefix(said, "text/") && data == "blob":
				c.Say("text", "The "+what+" of "+about(c.Call)+" ("+frame(c.N)+
					") is a blob, binary data in base64, and has the mimeType "+quote(said)+". Clients show the base64, or nothing.",
					c.N, c.Call.N)
			}
		}
		wire.Items(c.Result("contents"), func(_ int, item []byte) bool { one("resource", item, "blob"); return true })
		wire.Items(c.Result("content"), func(_ int, item []byte) bool {
			one(text(wire.Get(item, "type")), item, "data")
			one("resource", wire.Get(item, "resource"), "blob")
			return true
		})
	},
}

// wrongPicture is how grave it is that a mimeType is wrong: models refuse images of
// another type than they are told.
func wrongPicture(what, is, said string) diagnose.Severity {
	if what == "image" && strings.HasPrefix(is, "image/") && strings.HasPrefix(said, "image/") {
		return diagnose.Warning
	}
	return diagnose.Note
}

// sniffed is the media type that the first bytes of base64 say, "" for none that is
// known.
func sniffed(data []byte) string {
	head, err := base64.StdEncoding.DecodeString(string(data[:min(len(data), 24)/4*4]))
	if err != nil {
		return ""
	}
	for _, magic := range [...]struct{ begin, is string }{
		{"\x89PNG\r\n\x1a\n", "image/png"}, {"\xff\xd8\xff", "image/jpeg"}, {"GIF8", "image/gif"}, {"%PDF-", "application/pdf"},
	} {
		if bytes.HasPrefix(head, []byte(magic.begin)) {
			return magic.is
		}
	}
	if len(head) >= 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP" {
		return "image/webp"
	}
	return ""
}
