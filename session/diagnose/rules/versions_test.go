package rules

import (
	"bytes"
	"cmp"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"midwire/fixtures/effort"
	"midwire/fixtures/exam/truth"
	"midwire/fixtures/transcript"
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/record"
	"midwire/session/wire"
)

// aboutVersions are rules that judge by what the version in force says. Where one of them
// is first, the version is the cause, and naming another one may change it.
var aboutVersions = map[string]string{
	"unknown-version":        "says that there is no such version",
	"version-header-missing": "the header came with 2025-06-18", "version-header-differs": "likewise",
	"batch-not-allowed":      "2025-03-26 alone has batches",
	"challenge-missing":      "authorization is another in each version",
	"version-header-refused": "likewise", "handshake-unfinished": "may be due to the version that the server chose",
	"undeclared-notification":  "logging needs the capability since 2025-06-18",
	"structured-content-alone": "came with 2025-06-18", "message-schema": "each version has its schema",
}

var namedVersion = regexp.MustCompile(`(?i)("protocolVersion":\s*"|mcp-protocol-version: ?)20\d\d-\d\d-\d\d`)

// TestNamedVersionChangesNoCause: over Streamable HTTP the transport that is seen counts,
// not the version that a client names.
func TestNamedVersionChangesNoCause(t *testing.T) {
	held := 0
	hold := func(name, tap string, frames []*wire.Frame) {
		if was := namedFirst(tap, frames, ""); was != nil {
			for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-01-01"} {
				is := namedFirst(tap, frames, version)
				if is == nil || aboutVersions[was.rule] != "" || aboutVersions[is.rule] != "" {
					continue
				}
				if held++; *is != *was {
					t.Errorf("%s as %s: the first is %v, not %v", name, version, *is, *was)
				}
			}
		}
	}
	files, _ := filepath.Glob("testdata/*/*.txt")
	for _, file := range effort.Sample(4, files) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text, _, _ := strings.Cut(string(data), "\n=== behind")
		s, err := transcript.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		hold(file, s.Tap, s.Frames)
	}
	cases, err := truth.Load("../../../fixtures/exam/cases")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range effort.Sample(4, cases) {
		if !c.Counted() {
			tap, frames := recorded(t, c.Recording())
			hold(c.Name, tap, frames)
		}
	}
	if held < 250 {
		t.Errorf("only %d", held)
	}
}

func recorded(t *testing.T, file string) (tap string, frames []*wire.Frame) {
	r, err := record.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for {
		f := new(wire.Frame)
		if err := r.Next(f); err == io.EOF {
			return r.Header().Tap, frames
		} else if err != nil {
			t.Fatal(err)
		}
		f.Data = bytes.Clone(f.Data)
		frames = append(frames, f)
	}
}

// namedFirst is the first of the worst findings where everybody names a version, in place
// of what they named; nil for what is not Streamable HTTP, or
// has to do with the version without sessions.
func namedFirst(tap string, frames []*wire.Frame, version string) *first {
	tr, c := diagnose.New(session.Options{Tap: tap}, All())
	for _, f := range frames {
		if bytes.Contains(f.Data, []byte("2026-07-28")) {
			return nil
		}
		one := *f
		if version != "" {
			one.Data = namedVersion.ReplaceAllFunc(one.Data, func(b []byte) []byte {
				return append(bytes.Clone(b[:len(b)-len(version)]), version...)
			})
		}
		tr.Apply(&one)
	}
	c.Finish()
	for _, s := range tr.Sessions() {
		if s.Transport != session.TransportHTTP || s.Modern {
			return nil
		}
	}
	found := c.Findings()
	slices.SortStableFunc(found, func(a, b *diagnose.Finding) int { return cmp.Compare(a.Severity, b.Severity) })
	if len(found) == 0 {
		return &first{}
	}
	return &first{found[0].Rule.ID, found[0].Side}
}

type first struct {
	rule string
	side diagnose.Side
}
