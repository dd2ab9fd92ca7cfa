package record

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"

	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// webhooks checks the signatures of webhooks (SEP-3415: Signature scheme) with the secrets
// that passed by in events/subscribe, and those that a user gave. It keeps them in memory
// and nowhere else; the recording gets the verdict.
type webhooks struct {
	given  [][]byte
	known  map[string][][]byte // by the id of the subscription, the latest first
	asked  map[uint32][]byte   // by exchange: of events/subscribe that wait for the id
	signed map[uint32]signature
}

// signature is what the head of a webhook says.
type signature struct {
	head                 uint64 // its frame
	id, stamp, signs, of string
}

const (
	maxHooks      = 1024
	maxAsked      = 32        // at the same time: all of them are tried
	maxHookSize   = 256 << 10 // what receivers take
	maxSigned     = 64 << 10  // of an events/subscribe
	secretsOfOne  = 2         // while one takes the place of another
	mostSignature = 8
)

// trust takes secrets that a user gave; what is no secret is left out.
func (h *webhooks) trust(secrets []string) {
	for _, s := range secrets {
		if key := hookKey(s); key != nil {
			h.given = append(h.given, key)
		}
	}
}

// hookKey is the key of a secret, nil for what is none.
func hookKey(secret string) []byte {
	in, ok := strings.CutPrefix(secret, mcp.WebhookSecret)
	if !ok {
		return nil
	}
	key, err := base64.StdEncoding.DecodeString(in)
	if err != nil {
		key, err = base64.RawStdEncoding.DecodeString(in)
	}
	if err != nil || len(key) == 0 {
		return nil
	}
	return key
}

// see looks at a frame as it was on the wire. It returns what there is to say of a
// webhook, nil for nothing.
func (h *webhooks) see(f *wire.Frame) *wire.Note {
	switch {
	case f.Kind == wire.KindRequest:
		h.request(f)
	case f.Kind == wire.KindClose && f.X != 0:
		delete(h.asked, f.X)
		delete(h.signed, f.X)
	case f.Part != wire.Whole:
	case f.Kind == wire.KindBody && f.Dir == wire.ToServer:
		if s, ok := h.signed[f.X]; ok {
			delete(h.signed, f.X)
			return h.verify(&s, f.Data)
		}
		h.subscribe(f)
	case f.HoldsMessages() && f.Dir == wire.ToClient && h.asked[f.X] != nil:
		h.granted(f)
	}
	return nil
}

// request takes the head of a request.
func (h *webhooks) request(f *wire.Frame) {
	if !bytes.Contains(f.Data, []byte("ebhook-")) && !bytes.Contains(f.Data, []byte("EBHOOK-")) || len(h.signed) >= maxHooks {
		return
	}
	value := func(name string) string { return words.Clip(wire.HeadValue(f.Data, name), 512) }
	s := signature{
		head: f.N, id: value(mcp.HeaderWebhookID), stamp: value(mcp.HeaderWebhookTimestamp),
		signs: value(mcp.HeaderWebhookSignature), of: value(mcp.HeaderSubscriptionID),
	}
	if s.signs != "" {
		if h.signed == nil {
			h.signed = map[uint32]signature{}
		}
		h.signed[f.X] = s
	}
}

// subscribe takes the secret of an events/subscribe.
func (h *webhooks) subscribe(f *wire.Frame) {
	if len(f.Data) > maxSigned || len(h.asked) >= maxAsked || !bytes.Contains(f.Data, []byte(mcp.WebhookSecret)) {
		return
	}
	if wire.Text(wire.Get(f.Data, "method")) != mcp.EventsSubscribe {
		return
	}
	if key := hookKey(wire.Text(wire.Get(f.Data, "params", "delivery", "secret"))); key != nil {
		if h.asked == nil {
			h.asked = map[uint32][]byte{}
		}
		h.asked[f.X] = key
	}
}

// granted takes the id that the server gave the subscription.
func (h *webhooks) granted(f *wire.Frame) {
	id := wire.Text(wire.Get(f.Payload(), "result", "id"))
	if id == "" {
		return
	}
	key := h.asked[f.X]
	delete(h.asked, f.X)
	if h.known == nil {
		h.known = map[string][][]byte{}
	}
	if len(h.known) < maxHooks || h.known[id] != nil {
		all := append([][]byte{key}, h.known[id]...)
		all = slices.CompactFunc(all, bytes.Equal)
		h.known[id] = all[:min(len(all), secretsOfOne)]
	}
}

// verify says whether a webhook is signed with the secret of its subscription. Where that
// is not known, only a right signature says something.
func (h *webhooks) verify(s *signature, body []byte) *wire.Note {
	if len(body) > maxHookSize {
		return nil
	}
	own := slices.Concat(h.known[s.of], h.given)
	verdict := wire.WebhookWrong
	switch {
	case s.fits(own, body):
		verdict = wire.WebhookRight
	case len(own) > 0:
	case h.tryAsked(s, body):
		verdict = wire.WebhookRight
	default:
		return nil
	}
	return &wire.Note{Text: "the signature of the webhook " + words.Clip(s.id, 100) + " is " + verdict, Webhook: verdict, Request: s.head}
}

// tryAsked tries the secrets of subscriptions whose id is not known yet: the server
// verifies the callback before it answers.
func (h *webhooks) tryAsked(s *signature, body []byte) bool {
	for _, key := range h.asked {
		if s.fits([][]byte{key}, body) {
			return true
		}
	}
	return false
}

// fits says whether one of the signatures is made with one of the keys.
func (s *signature) fits(keys [][]byte, body []byte) bool {
	signs := strings.Fields(s.signs)
	for _, key := range keys {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(s.id + "." + s.stamp + "."))
		mac.Write(body)
		sum := mac.Sum(nil)
		for _, sign := range signs[:min(len(signs), mostSignature)] {
			in, ok := strings.CutPrefix(sign, "v1,")
			got, err := base64.StdEncoding.DecodeString(in)
			if ok && err == nil && hmac.Equal(got, sum) {
				return true
			}
		}
	}
	return false
}
