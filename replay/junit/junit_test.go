package junit

import (
	"encoding/xml"
	"strings"
	"testing"
)

// TestWrite: what CI systems read has the counts and all texts, and nothing of the wire ends
// an element or is no XML.
func TestWrite(t *testing.T) {
	const wire = "a\x1b[2J\x00 </testcase> & \"b\" \xff ]]>"
	s := Suite{Name: wire}
	s.Add(Case{Class: "c", Name: "well", Time: "0.1"})
	s.Add(Case{Class: "c", Name: wire, Failure: &Message{Message: wire, Type: "error", Text: "one\ntwo </failure>"}})
	s.Add(Case{Class: "c", Name: "left out", Skipped: &Message{Message: wire}})
	var out strings.Builder
	if err := s.Write(&out); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(out.String(), "\x1b\x00") {
		t.Errorf("%q", out.String())
	}
	var got Suite
	if err := xml.Unmarshal([]byte(out.String()), &got); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if got.Tests != 3 || got.Failures != 1 || got.Skipped != 1 || len(got.Cases) != 3 {
		t.Errorf("%d tests, %d failures, %d skipped, %d cases", got.Tests, got.Failures, got.Skipped, len(got.Cases))
	}
	bad := got.Cases[1]
	if !strings.Contains(bad.Name, "</testcase> & \"b\"") || bad.Failure == nil || bad.Failure.Text != "one\ntwo </failure>" {
		t.Errorf("%+v", bad)
	}
}
