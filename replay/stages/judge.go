package stages

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"midwire/replay/checks"
	"midwire/session/diagnose/rules"
	"midwire/session/mcp"
)

// judging is how long the recordings of a test are read where its time is over.
const judging = 2 * time.Second

// judge reads the recordings of the test: it adds what the rules find about the server in
// those of sessions as they should be, and the frames that show what did not pass.
func (t *tester) judge(ctx context.Context) {
	until, _ := t.ctx.Deadline()
	if least := time.Now().Add(judging); until.Before(least) {
		until = least
	}
	ctx, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	t.stage, t.last = "rules", ""
	var tapes []*tape
	found, unread := 0, false
	for kind, files := range t.files {
		for _, file := range files {
			ask := rules.All()
			if kind == odd || t.opt.Suite != nil { // the suite plays odd sessions, too
				ask = nil
			}
			id := strings.TrimSuffix(filepath.Base(file), ".jsonl")
			t.r.Recordings = append(t.r.Recordings, id)
			one, err := read(ctx, file, ask)
			if err != nil {
				t.check(id, checks.Skipped, err.Error(), "")
				unread = true
				continue
			}
			tapes = append(tapes, one)
			found += t.found(one)
		}
	}
	slices.Sort(t.r.Recordings)
	if found == 0 && !unread && len(t.files[proper]) > 0 && t.opt.Suite == nil {
		t.fine("rules", "no finding about the server")
	}
	acknowledged := func(t *tape) bool { return t.acknowledged }
	if c := t.listened; c != nil && c.Verdict == checks.Passed && !slices.ContainsFunc(tapes, acknowledged) {
		c.Verdict, c.Text = checks.Noted, "no "+mcp.NotifyAcknowledged+" comes in 2 s"
	}
	for c, id := range t.shown {
		if c.Verdict == checks.Passed || c.Verdict == checks.Skipped || id == "" || len(c.Evidence) > 0 {
			continue
		}
		for _, one := range tapes {
			c.Evidence = append(c.Evidence, one.framesOf(id)...)
		}
		responded := func(one *tape) bool { return one.responded(id) }
		if c.Verdict == checks.Failed && t.silent[id] && slices.ContainsFunc(tapes, responded) {
			c.Verdict, c.Text = checks.Noted, "the response came late: "+c.Text+" in time" // it is there
		}
	}
}

// found adds the findings about the server in a recording, each rule once, and returns how
// many there are.
func (t *tester) found(of *tape) int {
	all := of.formal()
	for _, c := range all {
		known := func(o *checks.Check) bool { return o.Rule == c.Rule }
		if !slices.ContainsFunc(t.r.Checks, known) {
			t.r.Checks = append(t.r.Checks, c)
			c.Text = t.given.Text(c.Text)
		}
	}
	return len(all)
}
