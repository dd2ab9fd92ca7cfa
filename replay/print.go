package replay

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"midwire/replay/junit"
	"midwire/session/safe"
	"midwire/session/words"
)

// Formats of a report.
const (
	FormatText  = "text"
	FormatJSON  = "json"
	FormatJUnit = "junit"
)

// Write writes the report in a format. Text is safe for a terminal.
func (r *Report) Write(w io.Writer, format string) error {
	switch format {
	case FormatJSON:
		return r.json(w)
	case FormatJUnit:
		return r.junit(w)
	}
	_, err := io.WriteString(w, r.text())
	return err
}

type jsonCall struct {
	Frame   uint32        `json:"frame,omitempty"`
	Other   uint32        `json:"other_frame,omitempty"`
	Session int           `json:"session"`
	Label   string        `json:"label"`
	Method  string        `json:"method"`
	Target  string        `json:"target,omitempty"`
	Verdict Verdict       `json:"verdict"`
	Changes []Change      `json:"changes,omitempty"`
	Slower  bool          `json:"slower,omitempty"`
	Was     time.Duration `json:"was_ns"`
	Now     time.Duration `json:"now_ns"`
	Note    string        `json:"note,omitempty"`
	Schema  []string      `json:"schema,omitempty"`
}

// MarshalJSON writes what a report says of a call.
func (o Outcome) MarshalJSON() ([]byte, error) {
	return Encode(jsonCall{
		Frame: o.Frame, Other: o.Other, Session: o.Session, Label: o.Label(), Method: o.Method, Target: o.Target,
		Verdict: o.Verdict, Changes: o.Changes, Slower: o.Slower, Was: o.Was.Took, Now: o.Now.Took,
		Note: o.Note, Schema: o.Schema,
	}), nil
}

func (r *Report) json(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(struct {
		Same bool `json:"same"`
		*Report
	}{!r.Differs(), r})
}

func (r *Report) text() string {
	var b strings.Builder
	line := func(format string, a ...any) { b.WriteString(safe.Whole(fmt.Sprintf(format, a...)) + "\n") }
	for _, s := range r.Remarks {
		line("note: %s", s)
	}
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		if o.Verdict == Same && !o.Slower && len(o.Schema) == 0 && o.Note == "" {
			continue
		}
		line("%-9s %s%s", o.Verdict, o.place(), words.Ellipsis(o.words(), 2000))
		for _, c := range o.Changes {
			line("            %s", c)
		}
		for _, s := range o.Schema {
			line("            breaks its output schema: %s", s)
		}
	}
	for _, p := range r.Problems {
		line("problem   session %d: %s", p.Session, p.Text)
	}
	for _, f := range r.New {
		line("new finding: %s", f)
	}
	for _, f := range r.Gone {
		line("finding resolved: %s", f)
	}
	line("%s", r.summary())
	for _, path := range r.Other {
		line("compared with %s", path)
	}
	return b.String()
}

// place is the number of the request, and a blank.
func (o *Outcome) place() string {
	if o.Frame == 0 {
		return "(" + o.Number() + ") "
	}
	return o.Number() + " "
}

func (o *Outcome) words() string {
	text := o.Label()
	if o.Note != "" {
		text += ": " + o.Note
	}
	if o.Slower {
		text += fmt.Sprintf(" (%s, was %s)", o.Now.Took.Round(time.Millisecond), o.Was.Took.Round(time.Millisecond))
	}
	return text
}

func (r *Report) summary() string {
	parts := []string{}
	for _, v := range [...]Verdict{Same, Changed, Broken, Fixed, Slower, Missing, Extra, Skipped} {
		if n := r.Count(v); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	if n := len(r.Problems); n > 0 {
		parts = append(parts, words.Count(n, "problem"))
	}
	return words.Count(len(r.Outcomes), "call") + ": " + cmp.Or(strings.Join(parts, ", "), "nothing to compare")
}

func (r *Report) junit(w io.Writer) error {
	suite := junit.Suite{Name: "midwire " + r.Recording}
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		c := junit.Case{
			Class: fmt.Sprintf("session %d", o.Session), Name: strings.TrimSpace(o.place() + o.Label()),
			Time: fmt.Sprintf("%.3f", o.Now.Took.Seconds()),
		}
		switch {
		case o.Differs():
			c.Failure = &junit.Message{Message: strings.TrimSpace(o.Verdict.String() + " " + o.Note), Text: o.details()}
		case o.Verdict == Skipped:
			c.Skipped = &junit.Message{}
		}
		suite.Add(c)
	}
	fail := func(class, name, text string) {
		suite.Add(junit.Case{Class: class, Name: name, Time: "0", Failure: &junit.Message{Message: text}})
	}
	for _, p := range r.Problems {
		fail(fmt.Sprintf("session %d", p.Session), "problem", p.Text)
	}
	for _, f := range r.New {
		fail("findings", "new finding", f)
	}
	return suite.Write(w)
}

func (o *Outcome) details() string {
	var lines []string
	if o.Slower {
		lines = append(lines, safe.Whole(o.words()))
	}
	for _, c := range o.Changes {
		lines = append(lines, safe.Whole(c.String()))
	}
	for _, s := range o.Schema {
		lines = append(lines, safe.Whole("output schema: "+s))
	}
	return strings.Join(lines, "\n")
}

// Write writes the plan as text that is safe for a terminal: what will be
// sent, and what will be put instead of recorded values, and why.
func (p *Plan) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	line := func(format string, a ...any) { _, _ = b.WriteString(safe.Whole(fmt.Sprintf(format, a...)) + "\n") }
	for _, s := range p.Script.Remarks {
		line("note: %s", s)
	}
	for _, e := range p.Events {
		if e.Kind != EventStep {
			continue
		}
		line("%s", p.Words(e.Index))
		for _, s := range p.SubsOf(e.Index) {
			line("          %s", p.subWords(s))
		}
		for _, m := range p.Masked[e.Index] {
			line("          %s is masked in the recording", m.place())
		}
	}
	if paths := p.paths(); len(paths) > 0 {
		line("paths, for --to without one: %s", strings.Join(paths, ", "))
	}
	if names := p.Unmarked(); len(names) > 0 {
		line("not marked read-only: %s", words.List(names, 10))
	}
	return b.Flush()
}

// paths are where the recorded requests went, each once, without their queries.
func (p *Plan) paths() []string {
	const most = 20
	var all []string
	for i := range p.Script.Steps {
		head, ok := p.Script.RequestHead(int32(i))
		if !ok || !p.takes(int32(i)) {
			continue
		}
		path, _, _ := strings.Cut(head.Target, "?")
		if path = words.Ellipsis(path, 200); slices.Contains(all, path) {
			continue
		}
		if all = append(all, path); len(all) == most {
			return append(all, "…")
		}
	}
	return all
}

// Words says in one line what a step sends. It holds text from the wire.
func (p *Plan) Words(i int32) string {
	s := &p.Script.Steps[i]
	text := fmt.Sprintf("#%d s%d ", s.Frame, s.Session+1)
	switch {
	case s.Count > 0:
		labels := make([]string, 0, s.Count)
		for call := s.First; call < s.First+s.Count; call++ {
			labels = append(labels, p.Script.Label(call))
		}
		text += strings.Join(labels, " + ")
	default:
		text += cmp.Or(p.Script.Name(p.Script.Row(s.Row)), "bytes that are no JSON-RPC")
	}
	if s.Cancels >= 0 {
		text += fmt.Sprintf(" (of #%d)", p.Script.CallRow(s.Cancels).Request)
	}
	return text
}

func (p *Plan) subWords(s Sub) string {
	src := &p.Sources[s.Source]
	from := p.Script.CallRow(src.Call).Request
	place := src.Path.String()
	if src.Header != "" {
		place = "header " + src.Header
	}
	if src.cut != nil {
		place += fmt.Sprintf(" behind %q", src.cut.Before)
	}
	return fmt.Sprintf("%s %q: %s from the response to #%d, %s", s.Path, words.Ellipsis(src.Was, 60), s.Why, from, place)
}
