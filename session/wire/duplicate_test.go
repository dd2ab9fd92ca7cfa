package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

func TestDuplicate(t *testing.T) {
	many := make([]string, 500)
	for i := range many {
		many[i] = fmt.Sprintf(`"k%d":%d`, i, i)
	}
	object := "{" + strings.Join(many, ",") + "}"
	for in, want := range map[string]string{
		`{}`: "", `[]`: "", `1`: "", ``: "", `{"a":1}`: "", `{"a":1,"b":{"a":2},"c":[{"a":3},{"a":4}]}`: "",
		`{"a":1,"a":2}`:                             "a",
		`{"id":1,"\u0069d":2}`:                      "id",
		`{"a" : 1 , "b" : 2, "a" :3}`:               "a",
		`{"params":{"name":"x","name":"y"}}`:        "name",
		`[{"a":1},{"b":[[{"c":1,"c":1}]]}]`:         "c",
		`{"a":{"a":{"a":1}}}`:                       "",
		`{"a":{"b":1},"b":{},"c":[],"a":[1]}`:       "a",
		`{"":1,"":2}`:                               "",
		`{"a":1,"a":`:                               "",
		object:                                      "",
		`[` + object[:len(object)-1] + `,"k77":0}]`: "k77",
		strings.Repeat(`{"a":[`, 5000) + `{"x":1,"x":1}` + strings.Repeat(`]}`, 5000): "x",
	} {
		if got, ok := Duplicate([]byte(in)); got != want || ok != (want != "") {
			t.Errorf("Duplicate(%.60s) = %q, %v, want %q", in, got, ok, want)
		}
	}
}

// FuzzDuplicate compares with a reader that counts by itself.
func FuzzDuplicate(f *testing.F) {
	f.Add(`{"a":[{"b":1,"\u0062":2}],"c":{}}`)
	f.Add(`{"a":{"b":[1,{"c":null}]},"d":"e"}`)
	f.Fuzz(func(t *testing.T, in string) {
		if !Valid([]byte(in)) || !json.Valid([]byte(in)) {
			Duplicate([]byte(in))
			return
		}
		want := false
		var look func(raw []byte)
		look = func(raw []byte) {
			seen := map[string]bool{}
			Each(raw, func(k, v []byte) bool {
				want = want || seen[string(k)] && len(k) > 0
				seen[string(k)] = true
				look(v)
				return true
			})
			Items(raw, func(_ int, v []byte) bool { look(v); return true })
		}
		look([]byte(strings.TrimSpace(in)))
		if name, got := Duplicate([]byte(in)); got != want {
			t.Errorf("Duplicate(%q) = %q, %v, want %v", in, name, got, want)
		}
	})
}

// TestDuplicateDeep: a value that is nothing but depth takes less memory than it has bytes.
func TestDuplicateDeep(t *testing.T) {
	deep := bytes.Repeat([]byte("["), 8<<20)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if name, ok := Duplicate(deep); ok {
		t.Error(name)
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > uint64(len(deep)) {
		t.Errorf("%d bytes for %d", took, len(deep))
	}
}
