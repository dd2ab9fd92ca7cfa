package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v3"

	"midwire/intercept/clients/syntax"
)

var formats = []syntax.Format{syntax.JSON, syntax.TOML, syntax.YAML}

// generic is the client of the generated files.
func generic(format syntax.Format) Client {
	if format == syntax.TOML {
		return Client{Servers: []string{"mcp_servers"}}
	}
	return Client{Servers: []string{"mcpServers"}}
}

// wrapAny puts midwire in front of an entry, whichever kind it has.
func wrapAny(format syntax.Format, data []byte, shape Shape, at Address) ([]byte, Mark, error) {
	d, err := begin(format, data, shape, at)
	if err != nil {
		return nil, Mark{}, err
	}
	if d.entry.url != nil {
		return wrapURL(format, data, shape, at, 7300)
	}
	return wrapCommand(format, data, shape, at, `C:\bin\midwire.exe`)
}

// decode reads a file as a client would, without the code that is tested here;
// nil where no such reader is at hand.
func decode(format syntax.Format, data []byte) (v map[string]any, err error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	switch {
	case format == syntax.TOML:
		err = toml.Unmarshal(data, &v)
	case format == syntax.YAML:
		err = yaml.Unmarshal(data, &v)
	case json.Valid(data):
		err = json.Unmarshal(data, &v)
	}
	return v, err
}

// entryIn finds an entry in what was decoded.
func entryIn(v map[string]any, at Address) map[string]any {
	switch in := v[at.Path[0]].(type) {
	case map[string]any:
		return in[at.Name].(map[string]any)
	case []any:
		for _, e := range in {
			if e := e.(map[string]any); e["name"] == at.Name {
				return e
			}
		}
	}
	return nil
}

// checkValues: the entry says what it should, and everything else what it did.
func checkValues(t *testing.T, before, after map[string]any, at Address, s spec) {
	t.Helper()
	was, is := entryIn(before, at), entryIn(after, at)
	if s.url != "" {
		if is["url"] == was["url"] {
			t.Error("the URL stayed")
		}
		is["url"] = was["url"]
	} else {
		want := []any{"--", s.command}
		for _, a := range s.args {
			want = append(want, a)
		}
		if is["command"] != `C:\bin\midwire.exe` || !reflect.DeepEqual(is["args"], want) {
			t.Errorf("the entry says %q %q, not %q", is["command"], is["args"], want)
		}
		is["command"] = was["command"]
		if delete(is, "args"); !s.bare {
			is["args"] = was["args"]
		}
	}
	if !reflect.DeepEqual(before, after) {
		t.Errorf("more changed than the entry:\n%v\n%v", before, after)
	}
}

// TestWrapThenUnwrapIsTheIdentity: for thousands of files of each format.
func TestWrapThenUnwrapIsTheIdentity(t *testing.T) {
	for _, format := range formats {
		t.Run(string(format), func(t *testing.T) {
			refused, done := 0, 0
			for seed := range uint64(600) {
				data, specs := generate(format, seed)
				c := generic(format)
				in, err := syntax.Parse(format, data)
				if err != nil {
					t.Fatalf("seed %d: %v\n%s", seed, err, data)
				}
				found := c.addresses(in.Root, "")
				if len(found) != len(specs) {
					t.Fatalf("seed %d: %d of %d servers found\n%s", seed, len(found), len(specs), data)
				}
				for i, at := range found {
					s := specs[slices.IndexFunc(specs, func(s spec) bool { return s.name == at.Name })]
					out, mark, err := wrapAny(format, data, c.Shape, at)
					if err != nil {
						refused++
						if !errors.Is(err, errMove) && err.Error() != "its URL is written with escapes" {
							t.Errorf("seed %d, %d: %v\n%s", seed, i, err, data)
						}
						continue
					}
					done++
					before, err := decode(format, data)
					after, err2 := decode(format, out)
					if err != nil || err2 != nil {
						t.Error(err, err2)
					} else if before != nil {
						checkValues(t, before, after, at, s)
					}
					back, err := unwrap(format, out, c.Shape, at, itself{mark: &mark})
					if err != nil || !bytes.Equal(back, data) {
						t.Errorf("seed %d: %v\n%s", seed, err, back)
					}
					if t.Failed() {
						t.Fatalf("seed %d:\n%s\nbecame\n%s", seed, data, out)
					}
				}
			}
			if refused*20 > done {
				t.Errorf("%d refused, %d done", refused, done)
			}
			t.Logf("%d refused, %d done", refused, done)
		})
	}
}

// TestAllAtOnce: wrapping every server one after the other, and unwrapping them
// in another order, is the identity too.
func TestAllAtOnce(t *testing.T) {
	for _, format := range formats {
		for seed := range uint64(300) {
			data, _ := generate(format, seed)
			c := generic(format)
			in, err := syntax.Parse(format, data)
			if err != nil {
				t.Fatal(err)
			}
			type step struct {
				at   Address
				mark Mark
			}
			var steps []step
			now := data
			for _, at := range c.addresses(in.Root, "") {
				if out, mark, err := wrapAny(format, now, c.Shape, at); err == nil {
					now, steps = out, append(steps, step{at, mark})
				}
			}
			for _, s := range steps {
				if now, err = unwrap(format, now, c.Shape, s.at, itself{mark: &s.mark}); err != nil {
					t.Fatalf("%s %d: %v", format, seed, err)
				}
			}
			if !bytes.Equal(now, data) {
				t.Fatalf("%s %d:\n%s\nbecame\n%s", format, seed, data, now)
			}
		}
	}
}

// FuzzEdit: whatever a file holds, it is refused, or changed and changed back.
func FuzzEdit(f *testing.F) {
	for i := range formats {
		for seed := range uint64(5) {
			data, _ := generate(formats[i], seed)
			f.Add(uint8(i), data)
		}
	}
	f.Add(uint8(2), []byte("mcpServers:\n  x: {command: a, args: [b]}\n"))
	f.Add(uint8(2), []byte("mcpServers:\n- name: x\n  command: a\n  args:\n  - >\n    b\n"))
	f.Add(uint8(1), []byte("[[mcp_servers]]\nname='x'\ncommand='''\na'''\n"))
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		format := formats[int(which)%len(formats)]
		in, err := syntax.Parse(format, data)
		if err != nil {
			return
		}
		c := generic(format)
		for _, at := range c.addresses(in.Root, "") {
			out, mark, err := wrapAny(format, data, c.Shape, at)
			if err != nil {
				continue
			}
			if back, err := unwrap(format, out, c.Shape, at, itself{mark: &mark}); err != nil || !bytes.Equal(back, data) {
				t.Errorf("%v\n%q\n%q", err, data, back)
			}
			before, err := decode(format, data)
			after, err2 := decode(format, out)
			if err == nil && (err2 != nil || before != nil && reflect.DeepEqual(before, after)) {
				t.Errorf("%v: nothing changed, or too much:\n%q\n%q", err2, data, out)
			}
		}
	})
}
