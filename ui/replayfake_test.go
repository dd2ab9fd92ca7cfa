package ui

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"midwire/ui/library"
)

// fakeReplayer replays nothing: it notes what it is asked for, and says what
// the test wants to hear.
type fakeReplayer struct {
	mu       sync.Mutex // guards what is noted
	plan     ReplayPlan
	planErr  error
	asked    []ReplayRequest // by Run
	compared [][2]library.SessionRef
	ignored  []string
	edits    []string // what the editor was given
	typed    []string // what the user makes of it
	result   *Comparison
	hold     chan struct{} // a run waits until it is closed
	at       []ReplayProgress
	sent     int // steps
}

func (f *fakeReplayer) Plan(_ context.Context, q ReplayRequest) (ReplayPlan, error) {
	p := f.plan
	if q.Target != "" {
		p.Target = q.Target
	}
	if q.Frame != 0 {
		p.Calls, p.Params = 2, []byte(`{"name":"search_files","arguments":{"q":"auth"}}`)
	}
	return p, f.planErr
}

func (f *fakeReplayer) Run(ctx context.Context, q ReplayRequest, tell func(ReplayProgress)) (*Comparison, error) {
	f.mu.Lock()
	f.asked = append(f.asked, q)
	f.mu.Unlock()
	for _, at := range f.at {
		tell(at)
		if q.Step == nil {
			continue
		}
		select {
		case <-q.Step:
			f.mu.Lock()
			f.sent++
			f.mu.Unlock()
		case <-ctx.Done():
			return f.result, ctx.Err()
		}
	}
	if f.hold != nil {
		select {
		case <-f.hold:
		case <-ctx.Done():
			return f.result, ctx.Err()
		}
	}
	return f.result, nil
}

func (f *fakeReplayer) Compare(_ context.Context, a, b library.SessionRef) (*Comparison, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.compared = append(f.compared, [2]library.SessionRef{a, b})
	return f.result, nil
}

func (f *fakeReplayer) Lines(c *Comparison, call int) ([]DiffLine, error) {
	if c.Calls[call].Was.Cut {
		return nil, errors.New("the answers are too big to be kept here")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	same := func(s string) DiffLine { return DiffLine{Was: s, Now: s} }
	lines := []DiffLine{
		same(`"result": {`), same(`  "content": [`), same(`    {`), same(`      "type": "text",`),
		{Was: `      "text": "3 matches"`, Now: `      "text": "4 matches in a text that is so long that it does not fit into one column of the screen at all"`, Kind: DiffChanged, Path: "result.content[0].text"},
		same(`    }`), same(`  ],`), same(`  "structuredContent": {`),
		{Was: `    "took_ms": 371`, Now: `    "took_ms": 352,`, Kind: DiffIgnored, Path: "result.structuredContent.took_ms", Why: "a time"},
		{Now: `    "truncated": false`, Kind: DiffAdded, Path: "result.structuredContent.truncated"},
		same(`  },`),
		{Was: `  "gone": "\u001b[31m` + "\x1b[31m" + `"`, Kind: DiffRemoved, Path: "result.gone"},
		same(`}`),
	}
	for i := range lines {
		for _, path := range f.ignored {
			if lines[i].Path == path {
				lines[i].Kind, lines[i].Why = DiffIgnored, "a rule says so"
			}
		}
	}
	return lines, nil
}

func (f *fakeReplayer) Ignore(c *Comparison, call int, path string) (*Comparison, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ignored = append(f.ignored, path)
	less := *c
	less.Calls = append([]ComparedCall{}, c.Calls...)
	if some := less.Calls[call].Changes; len(some) > 0 {
		less.Calls[call].Changes = some[1:]
	}
	return &less, nil
}

func (f *fakeReplayer) Edit(text []byte) Editor {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.edits = append(f.edits, string(text))
	e := &fakeEditor{will: text}
	if len(f.typed) > 0 {
		e.will, f.typed = []byte(f.typed[0]), f.typed[1:]
	}
	return e
}

type fakeEditor struct{ will, text []byte }

func (e *fakeEditor) Run() error          { e.text = e.will; return nil }
func (e *fakeEditor) Text() []byte        { return e.text }
func (e *fakeEditor) SetStdin(io.Reader)  {}
func (e *fakeEditor) SetStdout(io.Writer) {}
func (e *fakeEditor) SetStderr(io.Writer) {}

func replayed() *Comparison {
	ok := func(ms int, body string) ComparedAnswer {
		return ComparedAnswer{There: true, Took: time.Duration(ms) * time.Millisecond, Body: []byte(body)}
	}
	bad := ok(23, `{}`)
	bad.Failed = true
	return &Comparison{
		First: "files", Second: "20261121-101512-abcdef", FirstName: "files-server", SecondName: "node build/index.js", Took: 4200 * time.Millisecond,
		Calls: []ComparedCall{
			{Frame: 3, Session: 1, Method: "initialize", Was: ok(41, "{}"), Now: ok(38, "{}")},
			{Frame: 5, Session: 1, Method: "tools/list", Verdict: CallFixed, Note: "error -32002: Server not initialized", Was: bad, Now: ok(12, "{}")},
			{
				Frame: 10, Session: 1, Method: "tools/call", Target: "search_files", Verdict: CallChanged, Was: ok(402, `{"a":1}`), Now: ok(388, `{"a":22}`),
				Changes: []CallChange{
					{Path: "result.content[0].text", Kind: "changed", Was: `"3 matches"`, Now: `"4 matches"`},
					{Path: "result.structuredContent.truncated", Kind: "added", Now: "false"},
					{Path: "result.gone", Kind: "removed", Was: "\"\x1b[31m\""},
				},
			},
			{Frame: 12, Session: 1, Method: "tools/call", Target: "index_repo", Verdict: CallSlower, Slower: true, Was: ok(300, "{}"), Now: ok(1900, "{}")},
			{Frame: 18, Session: 1, Method: "resources/read", Target: "file:///src/auth.go", Verdict: CallBroken, Note: "error -32002: no such file", Was: ok(18, "{}"), Now: bad},
			{Frame: 20, Session: 1, Method: "tools/call", Target: "delete_file", Verdict: CallSkipped, Note: "not marked read-only", Was: bad},
			{Frame: 22, Session: 1, Method: "prompts/get", Target: "review", Verdict: CallMissing, Was: bad},
			{Other: 24, Session: 1, Method: "ping", Verdict: CallExtra, Now: ok(1, "{}")},
		},
		Problems: []string{"the server asked sampling/createMessage, which nobody recorded; it was refused"},
		Remarks:  []string{"the recording has 2 gaps; what was in them is not replayed"},
	}
}

func newFakeReplayer() *fakeReplayer {
	return &fakeReplayer{result: replayed(), plan: ReplayPlan{
		Target: "node build/index.js", Calls: 57, Others: 3, Subs: []string{"1 cursor", "3 handles"},
		Unmarked: []string{"delete_file", "index_repo"}, Left: 2,
	}, at: []ReplayProgress{{All: 57, Next: "#3 initialize"}, {Done: 12, All: 57, Next: "#10 tools/call search_files"}}}
}
