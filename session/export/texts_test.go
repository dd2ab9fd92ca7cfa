package export

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"midwire/fixtures/effort"
	"midwire/fixtures/transcript"
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/diagnose/rules"
	"midwire/session/words/wordstest"
)

// FuzzTexts: whatever peers say, what is printed and exported of it is UTF-8
// without anything that a terminal acts upon.
func FuzzTexts(f *testing.F) {
	for _, s := range effort.Sample(7, wordstest.Texts()) { // one of each alphabet
		f.Add(s)
	}
	all := rules.All()
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4<<10 {
			return
		}
		both, err := transcript.Everywhere(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range both {
			tp := &tape{frames: framesOf(s)}
			from := source(s.Tap, tp.frames)
			from.Label = text
			for _, format := range FormatsOf(s.Tap) {
				harmless(t, format, strings.ReplaceAll(written(t, from, format), "\n", " "))
			}
			for _, line := range tp.printed() {
				harmless(t, "line", line)
			}
			harmless(t, "show", tp.shown())
			harmless(t, "raw", tp.raw())
			curl, _ := Curl(text, s.Frames)
			harmless(t, "curl", strings.ReplaceAll(curl, "\t", " "))
			found(t, s, text, all)
		}
	})
}

// found writes what is found in a recording in all ways.
func found(t *testing.T, s *transcript.Transcript, label string, all []*diagnose.Rule) {
	t.Helper()
	tr, c := diagnose.New(session.Options{Tap: s.Tap}, all)
	for _, f := range s.Frames {
		tr.Apply(f)
	}
	c.Finish()
	checked := []Checked{{ID: "id", Label: label, Sessions: tr.Sessions(), Findings: c.Findings()}}
	list := Findings(checked[0])
	if len(list) == 0 {
		t.Fatal("nothing was found")
	}
	account := Authorization{Recording: "id", Tap: s.Tap, Account: c.Logins().Account()}
	rows := List(Recording{ID: label, Label: label, Tap: s.Tap, Trouble: label}, tr.Sessions())
	texts := map[string]string{
		"findings": FindingsText(list, checked, Text{Whole: true}),
		"auth":     AuthText(&account),
		"table":    Table(rows, time.UTC),
	}
	for what, write := range map[string]func() (string, error){
		"findings JSON": func() (string, error) { return JSON(list) },
		"auth JSON":     func() (string, error) { return SafeJSON(&account) },
		"JSON":          func() (string, error) { return JSON(rows) },
		"SARIF":         func() (string, error) { return FindingsSARIF(list, checked, all, "v1") },
		"JUnit":         func() (string, error) { return FindingsJUnit(list, checked, all, diagnose.Warning) },
	} {
		text, err := write()
		if err != nil || what != "JUnit" && !json.Valid([]byte(text)) {
			t.Fatalf("%s: %v in %s", what, err, text)
		}
		texts[what] = strings.ReplaceAll(text, "\t", " ")
	}
	for i := range account.Flows {
		texts["flow"] += FlowText(&account.Flows[i])
	}
	for what, text := range texts {
		harmless(t, what, text)
	}
}
