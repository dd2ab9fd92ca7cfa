package library

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/defect"
	"midwire/session/diagnose"
	"midwire/session/diagnose/rules"
	"midwire/session/diagnose/schema"
	"midwire/session/evidence"
	"midwire/session/export"
	"midwire/session/library/noted"
	"midwire/session/mcp"
	"midwire/session/outline"
	"midwire/session/record"
	"midwire/session/record/redact"
	"midwire/session/stack"
	"midwire/session/wire"
)

// Check applies the rules to each recording separately, and compares those
// that show two sides of one flow. Bad lines of a recording are counted by its
// Trouble.
func Check(files []string, ask []*diagnose.Rule) ([]export.Checked, error) {
	return CheckUntil(context.Background(), files, ask, nil)
}

// CheckUntil is Check that gives up when ctx ends, and says to seen how far it has come.
func CheckUntil(ctx context.Context, files []string, ask []*diagnose.Rule, seen Seen) ([]export.Checked, error) {
	at := progressOf(seen, files)
	var all []export.Checked
	var sides []*diagnose.View
	var checkers []*diagnose.Checker
	for _, file := range files {
		c, checker, side, err := checkOne(ctx, file, ask, len(files) > 1, at)
		at.endFile(file)
		if d, ok := errors.AsType[*defect.Defect](err); ok { // the others can be checked
			c = export.Checked{ID: named("", file), Findings: []*diagnose.Finding{rules.Defect(d)}, Trouble: d.Error()}
			checker, side = nil, diagnose.NewView("", "", 0)
		} else if err != nil {
			return nil, err
		}
		all = append(all, c)
		checkers = append(checkers, checker)
		sides = append(sides, side)
	}
	for i := range sides {
		for j := range sides[:i] {
			if s := sides[i].Side; s != "" && s == sides[j].Side && sides[i].Flow == sides[j].Flow {
				continue // behind one gateway
			}
			// Two recordings, or a flow, are named on purpose. Among more, calls
			// that coincide prove little.
			atLeast := 5
			if len(files) == 2 || sides[i].Flow != "" && sides[i].Flow == sides[j].Flow {
				atLeast = 0
			}
			if outer, found := diagnose.Compare(sides[j], sides[i], ask, atLeast); outer != nil {
				c := &all[slices.Index(sides, outer)]
				c.Findings = diagnose.Roots(append(c.Findings, found...))
			}
		}
	}
	for i := range all {
		for _, s := range all[i].Sessions {
			all[i].Verdicts = append(all[i].Verdicts, checkers[i].Verdict(s, all[i].Findings))
		}
	}
	return all, nil
}

// proven is of how many findings the frames are read once more: of the first, and of
// the worst. They are those that export.FindingsText has room to prove.
const proven = 8

// Findings names the rules that find something in a recording.
func Findings(file string) ([]string, error) {
	c, _, _, err := checkOne(context.Background(), file, rules.All(), false, &progress{})
	var ids []string
	for _, f := range c.Findings {
		ids = append(ids, f.Rule.ID)
	}
	return ids, err
}

// SchemaFaults says how a value breaks a JSON Schema, nil when it does not, or
// when the schema itself cannot be used.
func SchemaFaults(raw, value []byte) []string {
	s, err := schema.Compile(raw)
	if err != nil || len(s.Faults()) > 0 {
		return nil
	}
	faults, _ := s.Check(value)
	var all []string
	for _, f := range faults {
		all = append(all, strings.TrimSpace(f.Path+" "+f.Text))
	}
	return all
}

// named is the id of a recording, or else the name of its file.
func named(id, file string) string {
	return cmp.Or(id, strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)))
}

func checkOne(ctx context.Context, file string, ask []*diagnose.Rule, several bool, at *progress) (
	_ export.Checked, _ *diagnose.Checker, _ *diagnose.View, err error,
) {
	defer defect.Fails(reading, &err)
	r, err := record.Open(file)
	if err != nil {
		return export.Checked{}, nil, nil, err
	}
	defer r.Close()
	h := r.Header()
	id := named(h.ID, file)
	opts := session.Options{Tap: h.Tap}
	var side *diagnose.View
	if several {
		name := id
		if h.Label != "" {
			name = h.Label
		}
		side = diagnose.NewView(name, h.Host, h.Started.UnixNano())
		side.Flow, side.Side = h.Flow, h.Side
	}
	tracker, checker := diagnose.NewWith(opts, ask, side)
	checker.Began(began(h, nil))
	var tokens redact.Finder
	var code sources
	var outlines outline.Outlines
	look := func(f *wire.Frame, a *session.Ahead) {
		tokens.Frame(f)
		a.Read(f, &outlines)
		at.report(file, f.N, r.Offset())
	}
	err = readAhead(r, look, func(f *wire.Frame, a *session.Ahead) {
		if ctx.Err() == nil {
			tracker.ApplyAhead(f, a)
			code.take(&h, f)
		}
	})
	if err = errors.Join(err, ctx.Err()); err != nil {
		return export.Checked{}, nil, nil, err
	}
	checker.Finish()
	noted.Tell(checker, file)
	c := export.Checked{
		ID:       id,
		Label:    h.Label,
		Sessions: tracker.Sessions(),
		Findings: checker.Findings(),
		Tokens:   tokens.Found,
		ByGate:   tracker.ByGate,
	}
	if id != named("", file) { // a copy somewhere, which commands do not find by its id
		c.Ref = file
	}
	load := func(n uint64) *wire.Frame {
		f, err := r.Frame(n)
		if err != nil {
			return nil // a line that cannot be read: its row shows without words
		}
		return &f
	}
	prove(&c, tracker, &code, load)
	show(&c, checker)
	c.Trouble = unread(r)
	return c, checker, side, nil
}

// show adds what was seen in the sessions.
func show(c *export.Checked, checker *diagnose.Checker) {
	c.Evidence = map[int][]evidence.Line{}
	for _, s := range c.Sessions {
		c.Evidence[s.Index] = checker.Evidence(s)
		calls := 0
		if a := checker.Operations().Of(s.Index); a != nil && a.Tally(mcp.ToolsCall) != nil {
			calls = a.Tally(mcp.ToolsCall).Asked
		}
		c.Calls = append(c.Calls, calls)
	}
}

// prove reads once more the frames of the gravest findings: what proves them, what can be
// asked again, and where in the server's code they come from.
func prove(c *export.Checked, tracker *session.Tracker, code *sources, load export.Load) {
	c.Proof, c.Asked = map[*diagnose.Finding][]string{}, map[*diagnose.Finding]uint64{}
	c.Source, c.Folders = map[*diagnose.Finding]*stack.Place{}, code.folders
	worst := slices.Clone(c.Findings)
	slices.SortStableFunc(worst, func(a, b *diagnose.Finding) int { return cmp.Compare(a.Severity, b.Severity) })
	for _, list := range [][]*diagnose.Finding{c.Findings, worst} { // causes of failures stand first in the one
		for _, f := range list[:min(len(list), proven)] {
			if c.Proof[f] == nil {
				c.Proof[f] = export.Proof(tracker, load, f.Frames, 3)
				c.Asked[f] = export.Asked(tracker, load, f)
				c.Source[f] = code.place(f, load)
			}
		}
	}
}
