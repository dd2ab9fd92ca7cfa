package export

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"midwire/session/wire"
)

// A message that is too long stays a message: what is short in it is kept, what
// is left out is left out whole.
func TestShorten(t *testing.T) {
	long := `"` + strings.Repeat(`x\"`, MaxWhole/3+1) + `"`
	many := "[" + strings.Repeat(`{"a":1},`, MaxWhole/8) + "{}]"
	for name, tt := range map[string]struct {
		kind     wire.Kind
		in, want string
	}{
		"a text":      {wire.KindLine, `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":` + long + `}]}}`, `{"jsonrpc":"2.0","id":7,"result":{"midwire":"[midwire: `},
		"many values": {wire.KindLine, `{"jsonrpc":"2.0","id":7,"result":{"a":` + many + `},"method":"x"}`, `{"jsonrpc":"2.0","id":7,"result":{"midwire":"[midwire: `},
		"a batch":     {wire.KindBody, many, `[midwire: `},
		"no JSON":     {wire.KindLine, strings.Repeat("x", MaxWhole+1), `[midwire: 33554433 bytes left out]`},
		"half JSON":   {wire.KindLine, `{"a":` + long, `[midwire: `},
		"a string":    {wire.KindLine, long, `[midwire: `},
		"an event":    {wire.KindEvent, "event: message\nid: 4\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":" + long + "}\n\n", "event: message\nid: 4\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":\"[midwire: "},
		"names":       {wire.KindLine, `{"jsonrpc":"2.0","i\u0064":7,"result":` + long + `}`, `{"jsonrpc":"2.0","id":7,`},
	} {
		f := wire.Frame{Kind: tt.kind, Data: []byte(tt.in)}
		if !Shorten(&f) || !bytes.HasPrefix(f.Data, []byte(tt.want)) || len(f.Data) > longMember {
			t.Errorf("%s: %d bytes, %.120s", name, len(f.Data), f.Data)
		}
		if text := bytes.TrimPrefix(f.Data, []byte("event: message\nid: 4\ndata: ")); tt.want[0] != '[' && !json.Valid(bytes.TrimSpace(text)) {
			t.Errorf("%s: no JSON: %.200s", name, text)
		}
	}
	short := wire.Frame{Kind: wire.KindLine, Data: []byte(strings.Repeat("x", MaxWhole))}
	if Shorten(&short) || len(short.Data) != MaxWhole {
		t.Error("what is not too long is shortened")
	}
}

// FuzzShortJSON looks at what becomes of any JSON.
func FuzzShortJSON(f *testing.F) {
	f.Add(`{"a":"b","c":[1,"d\"",{"e":null}]}`)
	f.Add(`[{"a":1},2,"x"]`)
	f.Fuzz(func(t *testing.T, in string) {
		out := shortJSON([]byte(in))
		if text := strings.TrimSpace(in); wire.Valid([]byte(in)) && text[0] == '{' && !wire.Valid(out) {
			t.Errorf("%q becomes %q", in, out)
		}
	})
}
