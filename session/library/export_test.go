package library

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"midwire/session/export"
	"midwire/session/record"
	"midwire/session/record/redact"
	"midwire/session/wire"
)

// exported is a recording in one format.
func exported(t testing.TB, path, format string, opt record.Options, keepIDs bool) string {
	t.Helper()
	e, err := NewExport(path, "v1", opt, keepIDs, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	var b bytes.Buffer
	if err := e.Write(&b, format, 0); err != nil {
		t.Fatal(format, err)
	}
	return b.String()
}

// A credential that was recorded is in no export, even if it lies in two parts
// of a long message.
func TestExportMasksWhatWasRecorded(t *testing.T) {
	w, err := record.Create(t.TempDir(), record.Header{ID: "kept", Started: begun(), Tap: "http"}, record.Options{Redact: redact.Options{Keep: true}})
	if err != nil {
		t.Fatal(err)
	}
	line(w, `>{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"access_token":"sk-whole"}}}`)
	f := wire.Frame{Kind: wire.KindLine, Dir: wire.ToServer, X: 1, Part: wire.More, Data: []byte(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"access_token":"sk-front-`)}
	w.Append(&f)
	f.Part, f.EOL, f.Data = wire.Whole, "\n", []byte(`sk-back"}}`)
	w.Append(&f)
	w.Append(&wire.Frame{Kind: wire.KindRequest, Dir: wire.ToServer, Conn: 1, X: 7, Data: []byte("POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n")})
	f = wire.Frame{Kind: wire.KindBody, Dir: wire.ToServer, Conn: 1, X: 7, Part: wire.More, Data: []byte(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"access_token":"sk-front-`)}
	w.Append(&f)
	f.Part, f.Data = wire.Whole, []byte(`sk-back"}}`)
	w.Append(&f)
	w.Close()
	for _, format := range export.Formats() {
		text := exported(t, w.Path(), format, record.Options{}, false)
		for _, secret := range []string{"sk-whole", "sk-front", "sk-back"} {
			if strings.Contains(text, secret) {
				t.Errorf("%s has %s:\n%s", format, secret, text)
			}
		}
	}
	var kept strings.Builder
	for _, format := range export.Formats() {
		kept.WriteString(exported(t, w.Path(), format, record.Options{Redact: redact.Options{Keep: true}}, false))
	}
	if !strings.Contains(kept.String(), "sk-whole") || !strings.Contains(kept.String(), "sk-back") {
		t.Errorf("asked to keep secrets:\n%s", kept.String())
	}
}

// Ids are masked unless kept, and the text of an export of everything is what
// is shown.
func TestExportIsWhatIsShown(t *testing.T) {
	w := tap(t, t.TempDir(), "rec", 3)
	r, err := Read(w.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Reader.Close()
	var shown bytes.Buffer
	if err := r.Show(&shown, false); err != nil {
		t.Fatal(err)
	}
	if got := exported(t, w.Path(), "text", record.Options{}, true); got != shown.String() {
		t.Errorf("exported\n%s\nshown\n%s", got, &shown)
	}
}

// A recording that grows while it is exported is exported as it was found.
func TestExportOfLive(t *testing.T) {
	w := tap(t, t.TempDir(), "rec", 3)
	e, err := NewExport(w.Path(), "v1", record.Options{}, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for i := range 5 {
		line(w, fmt.Sprintf(`>{"jsonrpc":"2.0","id":"afterwards%d","method":"ping"}`, i))
	}
	w.Flush()
	for _, format := range export.FormatsOf("stdio") {
		var b bytes.Buffer
		if err := e.Write(&b, format, 0); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(b.String(), "afterwards") {
			t.Errorf("%s has what came later:\n%s", format, b.String())
		}
	}
}
