package session

import (
	"bytes"
	"encoding/binary"
	"strings"

	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// metaPaths are the paths into params._meta where hosts are known to say which
// conversation a request belongs to, in order of preference. A segment may lead
// into a JSON object that is written as a string. After them, any member of
// _meta counts whose name ends in session, conversation or thread id, however
// it is spelled.
var metaPaths = [...][]string{
	{"openai/session"},
	{"vscode.conversationId"},
	{"conversationId"},
	{"threadId"},
	{"sessionId"},
	{"sessionID"},
	{"session_id"},
	{"x-codex-turn-metadata", "session_id"},
}

// metaRank returns the index in metaPaths of the path that starts with a key,
// and how many paths there are when none does.
func metaRank(key []byte) int {
	for i, path := range metaPaths {
		if string(key) == path[0] {
			return i
		}
	}
	return len(metaPaths)
}

// meta is what the tracker reads of a message's _meta. Its slices share memory
// with the message.
type meta struct {
	modern       bool // the envelope of 2026-07-28 is there
	complete     bool // with all that is required
	version      mcp.Version
	client       []byte
	token        []byte
	subscription []byte
	trace        []byte
	key          []byte // value that identifies a conversation, raw JSON
	keyRank      int
	keyName      []byte
}

var metaEnd = []byte(`_meta"`) // a quote to begin with is found everywhere

var metaPath = []string{"_meta"}

// readMeta reads params._meta.
func (t *Tracker) readMeta(params []byte) meta {
	m := meta{keyRank: -1}
	if t.ahead == nil && !bytes.Contains(params, metaEnd) {
		return m
	}
	capabilities := false
	t.emitted.meta.each(t.emitted.params.get(params, metaPath), func(key, value []byte) bool {
		switch string(key) {
		case mcp.MetaProtocolVersion:
			m.modern, m.version = true, mcp.Version(t.known(value))
		case mcp.MetaClientInfo:
			m.client = value
		case mcp.MetaClientCapabilities:
			capabilities = true
		case mcp.MetaSubscriptionID:
			m.subscription = value
		case mcp.MetaProgressToken:
			m.token = value
		case mcp.MetaTraceParent:
			m.trace = traceID(value)
		default:
			groupKey(&m, key, value)
		}
		return true
	})
	m.complete = m.modern && capabilities && m.version != ""
	return m
}

// known returns a JSON string as a name that many messages share.
func (t *Tracker) known(raw []byte) string {
	if len(raw) < 2 || raw[0] != '"' || bytes.IndexByte(raw, '\\') >= 0 {
		return wire.Text(raw)
	}
	return t.Name(t.names.intern(raw[1 : len(raw)-1]))
}

// traceID returns the trace id of a W3C traceparent: 00-<32 hex>-<16 hex>-<2>.
func traceID(raw []byte) []byte {
	if len(raw) < 2+2+1+32+1 || raw[0] != '"' || raw[3] != '-' || raw[36] != '-' {
		return nil
	}
	return raw[4:36]
}

// groupKey takes a member of _meta if it says more about the conversation than
// what was found before it.
func groupKey(m *meta, key, value []byte) {
	rank := metaRank(key)
	known := rank < len(metaPaths)
	if !known && !looksLikeID(key) {
		return
	}
	if m.keyRank >= 0 && m.keyRank <= rank || len(value) < 3 && value[0] == '"' {
		return
	}
	if known && len(metaPaths[rank]) > 1 {
		if value = followPath(value, metaPaths[rank][1:]); value == nil {
			return
		}
	}
	if c := value[0]; c != '"' && c != '-' && (c < '0' || c > '9') {
		return
	}
	m.key, m.keyRank, m.keyName = value, rank, key
}

// followPath follows a path into a value, through objects written as strings.
func followPath(value []byte, path []string) []byte {
	for _, name := range path {
		if len(value) > 0 && value[0] == '"' {
			value = []byte(wire.Text(value))
		}
		if value = wire.Get(value, name); len(value) == 0 {
			return nil
		}
	}
	return value
}

// looksLikeID reports whether a key is spelled like the id of a conversation:
// (session|conversation|thread)[._-]?id at its end, in any case.
func looksLikeID(key []byte) bool {
	n := len(key)
	if n < 8 || key[n-1]|0x20 != 'd' || key[n-2]|0x20 != 'i' {
		return false
	}
	stem := words.Fold(string(key[:n-2]))
	stem = strings.TrimRight(stem, "._-")
	return strings.HasSuffix(stem, "session") || strings.HasSuffix(stem, "conversation") || strings.HasSuffix(stem, "thread")
}

// talk is what a conversation is grouped by.
type talk struct {
	key      []byte // scratch of the tracker
	why      string
	id       string
	source   IDSource
	strength int
}

// The strengths of what conversations are grouped by.
const (
	byConnection = iota + 1
	byClient
	byTrace
	byHeader
	byMeta
)

// talkKey chooses what a request of 2026-07-28, which has no sessions, is
// grouped by: what the host says of its conversation, then its trace, then the
// client, then the connection.
func (t *Tracker) talkKey(ex *exchange, m *meta) talk {
	t.buf = t.buf[:0]
	var auth uint64
	if ex != nil {
		auth = ex.auth
		t.buf = binary.LittleEndian.AppendUint32(t.buf, ex.place)
	}
	switch {
	case m.key != nil:
		return t.metaTalk(m)
	case ex != nil && ex.talk != "":
		t.buf = append(append(t.buf, 'h'), ex.talk...)
		name, value, _ := strings.Cut(ex.talk, "\x00")
		return talk{t.buf, name + " header", value, IDClient, byHeader}
	case m.trace != nil:
		t.buf = append(append(t.buf, 't'), m.trace...)
		return talk{t.buf, "trace id", "", IDNone, byTrace}
	case len(m.client) > 0 || auth != 0:
		t.buf = binary.LittleEndian.AppendUint64(append(t.buf, 'c'), auth)
		t.buf = append(t.buf, trimRaw(wire.Get(m.client, "name"))...)
		t.buf = append(append(t.buf, 0), trimRaw(wire.Get(m.client, "version"))...)
		switch {
		case auth == 0:
			return talk{t.buf, "clientInfo", "", IDNone, byClient}
		case len(m.client) == 0:
			return talk{t.buf, "credential", "", IDNone, byClient}
		}
		return talk{t.buf, "credential and clientInfo", "", IDNone, byClient}
	case ex == nil:
		t.buf = append(t.buf, 'p')
		return talk{t.buf, whyProcess, "", IDNone, byConnection}
	}
	t.buf = binary.LittleEndian.AppendUint32(append(t.buf, 'n'), ex.conn)
	return talk{t.buf, "client connection", "", IDNone, byConnection}
}

func (t *Tracker) metaTalk(m *meta) talk {
	t.buf = append(append(t.buf, 'm'), m.keyName...)
	t.buf = append(append(t.buf, 0), m.key...)
	// A known conversation needs neither of the strings.
	if _, ok := t.dir.talks[string(t.buf)]; ok {
		return talk{key: t.buf}
	}
	name := string(m.keyName)
	if m.keyRank < len(metaPaths) {
		name = strings.Join(metaPaths[m.keyRank], ".")
	}
	return talk{t.buf, "_meta " + name, wire.Plain(m.key), IDMeta, byMeta}
}

func trimRaw(raw []byte) []byte { return bytes.Trim(raw, `"`) }
