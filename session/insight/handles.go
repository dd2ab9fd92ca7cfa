package insight

import (
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/handle"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// Handle is a value that one side issued and the other used, or was
// to use.
type Handle struct {
	Kind    string // "session id", "cursor", "task id", "requestState", "progress token", "handle", "resource"
	Value   string
	Name    string // of the member that held it, or the word before it
	Secret  bool   // its name marks it as a credential
	From    Use    // where it was issued; N is 0 when that was not seen
	Times   int    // how often it was used
	Uses    []Use  // the first and the last of them, in order, and the messages that left it out
	Between int    // uses that are not in Uses: they stand behind the first FirstUses of these
	Latest  uint64 // frame of the latest use
	Crossed int    // uses in another session than those that it was issued in

	Worked, Refused, Failed, LeftOut int // uses by outcome; LeftOut is not in Times

	uses    []*Use // of which Handles makes Uses
	good    *Use   // the latest that worked
	seen    []int32
	special bool
	named   bool
	bytes   int
}

// lasting says that a value is reported even when no call used it.
func (h *Handle) lasting() bool {
	if h.special || h.Kind == "session id" {
		return true
	}
	name := words.Fold(h.Name)
	return !h.named && slices.ContainsFunc([]string{"session", "handle", "cursor", "ticket", "task", "job", "thread", "conversation"},
		func(w string) bool { return strings.Contains(name, w) })
}

const (
	maxCandidates = 50_000
	maxBytes      = 16 << 20
	maxOwn        = 100_000
	maxResult     = 1 << 20 // longer results are not looked through
	maxTokens     = 20_000
)

type handles struct {
	by      map[string]*Handle
	order   []*Handle // of by, the oldest first
	bytes   int
	forgot  int
	own     [2]map[uint64]struct{} // hashes of what clients sent before a server issued it; the younger ones first
	tokens  map[string]*Handle     // progress tokens by session and value
	used    []*Handle              // progress tokens that were used
	pending map[uint32][]useOf     // in heads of requests, by exchange
	issued  map[int]*Handle        // the session id that a response issued last, by session
	skipped int                    // results that were too long
}

func (x *handles) isOwn(value string) bool {
	h := wire.Hash([]byte(value))
	_, young := x.own[0][h]
	_, old := x.own[1][h]
	return young || old
}

func (x *handles) owns(value string) {
	if len(x.own[0]) >= maxOwn {
		x.own[0], x.own[1] = map[uint64]struct{}{}, x.own[0]
	}
	x.own[0][wire.Hash([]byte(value))] = struct{}{}
}

// offer takes a value that may be a handle.
func (x *handles) offer(h *Handle) {
	s := int32(h.From.Session)
	if old := x.by[h.Value]; old != nil {
		if !slices.Contains(old.seen, s) && len(old.seen) < 64 {
			old.seen = append(old.seen, s)
		}
		return
	}
	if len(h.Value) > handle.MaxToken || x.isOwn(h.Value) {
		return
	}
	h.Value, h.Name = clip(h.Value, handle.MaxToken), clip(h.Name, 100)
	h.seen, h.Secret = []int32{s}, secret(h.Name, h.Kind)
	h.bytes = len(h.Value) + len(h.From.Place) + 200
	x.by[h.Value] = h
	x.order = append(x.order, h)
	x.bytes += h.bytes
	if len(x.order) > maxCandidates || x.bytes > maxBytes {
		x.forget()
	}
}

// forget drops the older half of what no call used.
func (x *handles) forget() {
	half := len(x.order) / 2
	kept := x.order[:0]
	for i, h := range x.order {
		if i < half && (h.Times == 0 || half > maxCandidates/2-1 && h.Times < 2) {
			delete(x.by, h.Value)
			x.bytes -= h.bytes
			x.forgot++
			continue
		}
		kept = append(kept, h)
	}
	clear(x.order[len(kept):])
	x.order = kept
}

// use notes that a value was used, if it was issued. The outcome is still
// to be settled.
func (x *handles) use(value string, named bool, name string, u Use) (useOf, bool) {
	h := x.by[value]
	if h == nil || h.named && !(named && mayMatch(h.Name, name, value)) {
		return useOf{}, false
	}
	u.Crossed = !slices.Contains(h.seen, int32(u.Session))
	return useOf{h, h.note(u)}, true
}

// mayMatch reports whether two members may hold the same handle, where the value
// alone does not say so.
func mayMatch(a, b, value string) bool {
	if len(value) >= 6 {
		return true
	}
	bare := func(s string) string {
		return strings.NewReplacer("_", "", "-", "").Replace(words.Fold(s))
	}
	a, b = bare(a), bare(b)
	return strings.HasSuffix(a, b) || strings.HasSuffix(b, a)
}

// secret reports whether a value should not be shown as it is.
func secret(name, kind string) bool {
	if kind == "cursor" || kind == "progress token" {
		return false
	}
	name = words.Fold(name)
	for _, w := range []string{"token", "secret", "password", "key", "ticket", "nonce", "credential"} {
		if strings.Contains(name, w) {
			return !strings.Contains(name, "page") && !strings.Contains(name, "next") && !strings.Contains(name, "continu")
		}
	}
	return false
}

// offered takes the result of a call of the client.
func (x *handles) offered(c *call, e *session.Event) {
	if len(e.Message.Raw) > maxResult {
		x.skipped++
		return
	}
	what := c.label()
	handle.Issued(e.Message.Raw, c.method, func(v handle.Value) {
		kind := handle.Why(v.Name)
		if c.method == mcp.Initialize || x.isOwn(v.Text) || v.Part && x.by[v.Whole] != nil {
			return
		}
		x.offer(&Handle{
			Kind: kind, Value: v.Text, Name: v.Name, special: v.Special, named: v.Named,
			From: Use{N: e.N, T: e.T, Session: c.session, What: what, Place: clip(v.Path.String(), 200)},
		})
	})
}

func (c *call) label() string { return strings.TrimSpace(c.method + " " + clip(c.target, 80)) }

// usedIn takes a request of the client.
func (x *handles) usedIn(c *call, m *wire.Message) {
	if len(m.Raw) > maxResult {
		x.skipped++
		return
	}
	what := c.label()
	handle.Used(m.Raw, func(v handle.Value) {
		if v.Part && x.by[v.Whole] != nil {
			return
		}
		u := Use{N: c.n, T: c.t, Session: c.session, What: what, Place: v.Path.String()}
		if used, ok := x.use(v.Text, v.Named, v.Name, u); ok {
			c.uses = append(c.uses, used)
		} else if x.by[v.Text] == nil {
			x.owns(v.Text)
		}
	})
}

func (b *Book) rowName(row int32) string {
	if row < 0 {
		return ""
	}
	if c := b.calls[row]; c != nil {
		return c.label()
	}
	return b.t.Name(b.t.Row(int(row)).Name)
}

// token takes the progress token of a request: the one who asks hands it out.
func (x *handles) token(c *call, m *wire.Message) {
	token := wire.Get(m.Params, "_meta", mcp.MetaProgressToken)
	value := strings.Trim(string(token), `"`)
	if value == "" || len(token) > 200 {
		return
	}
	if len(x.tokens) >= maxTokens {
		clear(x.tokens)
	}
	x.tokens[idKey(c.session, string(token))] = &Handle{
		Kind: "progress token", Value: value, Name: "progressToken", seen: []int32{int32(c.session)},
		From: Use{N: c.n, T: c.t, Session: c.session, What: c.label(), Place: "params._meta.progressToken"},
	}
}

const maxUsedTokens = 2000

// progress takes a notification that may use such a token.
func (x *handles) progress(_ *Book, e *session.Event) {
	if string(e.Message.Method) != mcp.NotifyProgress {
		return
	}
	h := x.tokens[idKey(sessionOf(e), string(wire.Get(e.Message.Params, "progressToken")))]
	if h == nil {
		return
	}
	if h.Times == 0 && len(x.used) < maxUsedTokens {
		x.used = append(x.used, h)
	}
	u := Use{N: e.N, T: e.T, Session: sessionOf(e), What: mcp.NotifyProgress, Place: "params.progressToken"}
	useOf{h, h.note(u)}.settle(session.Served, false)
}

// Handles returns the values that were issued within a scope, or passed
// back there, in the order in which they were issued, progress tokens last.
// left is how many were forgotten, or not looked for because a message was too
// long. Later frames do not change the returned value.
func (b *Book) Handles(scope int) (out []Handle, left int) {
	x := &b.handles
	for _, list := range [][]*Handle{x.order, x.used} {
		for _, h := range list {
			if h.Times == 0 && !h.lasting() || !h.visibleIn(scope) {
				continue
			}
			out = append(out, h.copied())
		}
	}
	return out, x.forgot + x.skipped
}

func (h *Handle) visibleIn(scope int) bool {
	used := func(u *Use) bool { return inScope(scope, u.Session) }
	return inScope(scope, h.From.Session) || slices.ContainsFunc(h.uses, used)
}
