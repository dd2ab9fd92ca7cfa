package record

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"os"
	"strings"
	"testing"
	"time"

	"midwire/session/wire"
)

var (
	hookSecret = "whsec_" + base64.StdEncoding.EncodeToString([]byte("0123456789abcdef0123456789abcdef"))
	nextSecret = "whsec_" + base64.StdEncoding.EncodeToString([]byte("fedcba9876543210fedcba9876543210"))
)

func signed(secret, id, stamp, body string) string {
	mac := hmac.New(sha256.New, hookKey(secret))
	mac.Write([]byte(id + "." + stamp + "." + body))
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// hookTap plays frames to a recording and returns the file.
type hookTap struct {
	w *Writer
	x uint32
}

func (h *hookTap) post(head, body, answer string) {
	h.x++
	for _, f := range []wire.Frame{
		{Kind: wire.KindRequest, Dir: wire.ToServer, Data: []byte("POST /x HTTP/1.1\r\n" + head + "\r\n")},
		{Kind: wire.KindBody, Dir: wire.ToServer, Data: []byte(body)},
		{Kind: wire.KindResponse, Dir: wire.ToClient, Data: []byte("HTTP/1.1 200 OK\r\n\r\n")},
		{Kind: wire.KindBody, Dir: wire.ToClient, Data: []byte(answer)},
		{Kind: wire.KindClose, Data: []byte(`{"by":"server"}`)},
	} {
		f.X, f.Conn = h.x, 1
		h.w.Append(&f)
	}
}

func (h *hookTap) subscribe(secret string) {
	h.post("", `{"jsonrpc":"2.0","id":1,"method":"events/subscribe","params":{"name":"mail","delivery":{"mode":"webhook","url":"https://h/x","secret":"`+secret+`"}}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"id":"sub_1"}}`)
}

func (h *hookTap) webhook(of, signature string) {
	h.post("Webhook-Id: evt_1\r\nWebhook-Timestamp: 17\r\nWebhook-Signature: "+signature+"\r\nX-MCP-Subscription-Id: "+of+"\r\n", `{"eventId":"evt_1"}`, "")
}

func (h *hookTap) file(t *testing.T) string {
	t.Helper()
	if err := h.w.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(h.w.Path())
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func newHookTap(t *testing.T, opt Options) *hookTap {
	t.Helper()
	w, err := Create(t.TempDir(), Header{Started: time.Unix(1, 0)}, opt)
	if err != nil {
		t.Fatal(err)
	}
	return &hookTap{w: w}
}

// TestWebhookSignature: the proxy where the secret passed by says whether a webhook is
// signed with it, and writes the secret nowhere.
func TestWebhookSignature(t *testing.T) {
	body := `{"eventId":"evt_1"}`
	h := newHookTap(t, Options{})
	h.webhook("sub_1", "v1,AAAA") // nothing is known yet
	h.subscribe(hookSecret)
	h.webhook("sub_1", "v1,AAAA "+signed(hookSecret, "evt_1", "17", body))
	h.subscribe(nextSecret) // both hold for a while
	h.webhook("sub_1", signed(hookSecret, "evt_1", "17", body))
	h.webhook("sub_1", signed(nextSecret, "evt_1", "18", body))
	h.webhook("sub_2", "v1,AAAA") // of another client
	text := h.file(t)
	if right, wrong := strings.Count(text, `is right`), strings.Count(text, `is wrong`); right != 2 || wrong != 1 {
		t.Errorf("%d right and %d wrong", right, wrong)
	}
	for _, secret := range []string{hookSecret, nextSecret} {
		if in := strings.TrimPrefix(secret, "whsec_"); strings.Contains(text, in) || strings.Contains(text, string(hookKey(secret))) {
			t.Error("a secret is in the recording")
		}
	}
}

// TestWebhookGiven: where the secret did not pass by, a user can give it.
func TestWebhookGiven(t *testing.T) {
	h := newHookTap(t, Options{WebhookSecrets: []string{"no secret", hookSecret}})
	h.webhook("sub_9", signed(hookSecret, "evt_1", "17", `{"eventId":"evt_1"}`))
	h.webhook("sub_9", signed(nextSecret, "evt_1", "17", `{"eventId":"evt_1"}`))
	text := h.file(t)
	if strings.Count(text, `is right`) != 1 || strings.Count(text, `is wrong`) != 1 || strings.Contains(text, strings.TrimPrefix(hookSecret, "whsec_")) {
		t.Errorf("%s", text)
	}
}

// FuzzWebhook: no head and no body brings the check down, and nothing is signed by chance.
func FuzzWebhook(f *testing.F) {
	f.Add("Webhook-Id: a\r\nWebhook-Signature: v1,x\r\n", `{"method":"events/subscribe","params":{"delivery":{"secret":"whsec_AAAA"}}}`)
	f.Add("webhook-signature: v1,\xff v1a,", "\x00\xff")
	f.Fuzz(func(t *testing.T, head, body string) {
		var h webhooks
		h.trust([]string{hookSecret})
		for _, frame := range []wire.Frame{
			{Kind: wire.KindBody, Dir: wire.ToServer, X: 1, Data: []byte(body)},
			{Kind: wire.KindBody, Dir: wire.ToClient, X: 1, Data: []byte(body)},
			{Kind: wire.KindRequest, Dir: wire.ToServer, X: 2, N: 3, Data: []byte("POST /x HTTP/1.1\r\n" + head + "\r\n")},
			{Kind: wire.KindBody, Dir: wire.ToServer, X: 2, Data: []byte(body)},
		} {
			if note := h.see(&frame); note != nil && note.Webhook == wire.WebhookRight {
				t.Errorf("%q is signed", head)
			}
		}
	})
}
