package ui

import (
	"testing"
	"testing/synctest"

	"midwire/ui/query"
)

func TestQuery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 120, 36)
		for _, tt := range []struct {
			query string
			want  int
		}{
			{"", 17},
			{"method:tools/list", 2},
			{"tool:search", 1},
			{"is:error", 3},
			{"is:error !method:tools/list", 2},
			{"not is:error and method:tools", 3},
			{"is:pending", 1},
			{"kind:call", 10},
			{"kind:stderr", 1},
			{"kind:noise", 1},
			{"dir:s2c kind:call", 1},
			{"lat>500ms", 1},
			{"lat<5ms kind:call", 2},
			{"size>1k", 2},
			{"code:-32601", 1},
			{"id:s1", 1},
			{"client:claude", 17},
			{"auth.go", 2},
			{"\"server not\"", 1},
			{"file:///src", 1},
			{"PERMISSION", 1},
			{"nowhere", 0},
		} {
			q, err := query.Read(tt.query)
			if err != nil {
				t.Errorf("%s: %v", tt.query, err)
				continue
			}
			n := 0
			for i := range d.m.list.Rec.Tracker.Rows() {
				if q.Match(query.RowSubject(d.m.list.Rec, i, nil)) {
					n++
				}
			}
			if n != tt.want {
				t.Errorf("%q matches %d rows, want %d", tt.query, n, tt.want)
			}
		}
	})
}

func TestQueryErrors(t *testing.T) {
	for _, tt := range []struct {
		query string
		at    int
	}{
		{"foo:bar", 0},
		{"method:x lat>500", 13},
		{"is:bad", 3},
		{"is:", 3},
		{"lat:", 4},
		{"dir:up", 4},
		{"status:ok", 7},
		{"size>big", 5},
		{"method>x", 7},
		{"\"open", 0},
		{"not", 3},
		{"code:x", 5},
	} {
		_, err := query.Read(tt.query)
		if err == nil {
			t.Errorf("%q is accepted", tt.query)
		} else if err.At != tt.at {
			t.Errorf("%q: error at %d, want %d (%v)", tt.query, err.At, tt.at, err)
		}
	}
}

func FuzzQuery(f *testing.F) {
	for _, s := range []string{"is:error lat>5ms", "!a -b", "status:4xx \"x y\"", "size>1k", "not not a"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		q, err := query.Read(s)
		if err != nil && (err.At < 0 || err.At > len(s) || err.From > err.At) {
			t.Fatalf("error of %q at %d", s, err.At)
		}
		if q != nil && q.Root == nil {
			t.Fatal("an empty filter is not nil")
		}
	})
}
