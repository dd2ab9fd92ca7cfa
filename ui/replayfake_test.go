package ui

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"midwire/replay"
	"midwire/ui/library"
	"midwire/ui/replaying"
)

// fakeReplayer replays nothing: it notes what it is asked for, and says what
// the test wants to hear.
type fakeReplayer struct {
	mu       sync.Mutex // guards what is noted
	plan     replay.Preview
	planErr  error
	asked    []replaying.Request // by Run
	compared [][2]library.SessionRef
	edits    []string // what the editor was given
	typed    []string // what the user makes of it
	result   *replay.Comparison
	hold     chan struct{} // a run waits until it is closed
	at       []replay.Progress
}

func (f *fakeReplayer) Plan(_ context.Context, q replaying.Request) (replay.Preview, error) {
	p := f.plan
	if q.Target != "" {
		p.Target = q.Target
	}
	if q.Frame != 0 {
		p.Calls, p.Params = 2, []byte(`{"name":"search_files","arguments":{"q":"auth"}}`)
	}
	return p, f.planErr
}

func (f *fakeReplayer) Run(ctx context.Context, q replaying.Request,
	tell func(replay.Progress),
) (*replay.Comparison, error) {
	f.mu.Lock()
	f.asked = append(f.asked, q)
	f.mu.Unlock()
	for _, at := range f.at {
		tell(at)
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

func (f *fakeReplayer) Compare(_ context.Context, a, b library.SessionRef) (*replay.Comparison, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.compared = append(f.compared, [2]library.SessionRef{a, b})
	return f.result, nil
}

func (f *fakeReplayer) Lines(c *replay.Comparison, call int) ([]replay.Line, error) {
	if c.Calls[call].Was.Cut {
		return nil, errors.New("the answers are too big to be kept here")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	same := func(s string) replay.Line { return replay.Line{Was: s, Now: s} }
	lines := []replay.Line{
		same(`"result": {`), same(`  "content": [`), same(`    {`), same(`      "type": "text",`),
		{Was: `      "text": "3 matches"`, Now: `      "text": "4 matches in a text that is so long that it does not fit into one column of the screen at all"`, Kind: replay.LineChanged, Path: "result.content[0].text"},
		same(`    }`), same(`  ],`), same(`  "structuredContent": {`),
		{Was: `    "took_ms": 371`, Now: `    "took_ms": 352,`, Kind: replay.LineIgnored, Path: "result.structuredContent.took_ms", Why: "a time"},
		{Now: `    "truncated": false`, Kind: replay.LineAdded, Path: "result.structuredContent.truncated"},
		same(`  },`),
		{Was: `  "gone": "\u001b[31m` + "\x1b[31m" + `"`, Kind: replay.LineRemoved, Path: "result.gone"},
		same(`}`),
	}
	return lines, nil
}

func (f *fakeReplayer) Edit(text []byte) replaying.Editor {
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

func replayed() *replay.Comparison {
	ok := func(ms int, body string) replay.Response {
		return replay.Response{There: true, Took: time.Duration(ms) * time.Millisecond, Body: []byte(body)}
	}
	bad := ok(23, `{}`)
	bad.Failed = true
	return &replay.Comparison{
		First: "files", Second: "20261121-101512-abcdef", FirstName: "files-server", SecondName: "node build/index.js", Took: 4200 * time.Millisecond,
		Calls: []replay.Outcome{
			{Frame: 3, Session: 1, Method: "initialize", Was: ok(41, "{}"), Now: ok(38, "{}")},
			{Frame: 5, Session: 1, Method: "tools/list", Verdict: replay.Fixed, Note: "error -32002: Server not initialized", Was: bad, Now: ok(12, "{}")},
			{
				Frame: 10, Session: 1, Method: "tools/call", Target: "search_files", Verdict: replay.Changed, Was: ok(402, `{"a":1}`), Now: ok(388, `{"a":22}`),
				Changes: []replay.Change{
					{Path: "result.content[0].text", Kind: "changed", Was: `"3 matches"`, Now: `"4 matches"`},
					{Path: "result.structuredContent.truncated", Kind: "added", Now: "false"},
					{Path: "result.gone", Kind: "removed", Was: "\"\x1b[31m\""},
				},
			},
			{
				Frame: 12, Session: 1, Method: "tools/call", Target: "index_repo", Verdict: replay.Slower,
				Slower: true, Was: ok(300, "{}"), Now: ok(1900, "{}"),
			},
			{Frame: 18, Session: 1, Method: "resources/read", Target: "file:///src/auth.go", Verdict: replay.Broken, Note: "error -32002: no such file", Was: ok(18, "{}"), Now: bad},
			{Frame: 20, Session: 1, Method: "tools/call", Target: "delete_file", Verdict: replay.Skipped, Note: "not marked read-only", Was: bad},
			{Frame: 22, Session: 1, Method: "prompts/get", Target: "review", Verdict: replay.Missing, Was: bad},
			{Other: 24, Session: 1, Method: "ping", Verdict: replay.Extra, Now: ok(1, "{}")},
		},
		Problems: []string{"the server asked sampling/createMessage, which nobody recorded; it was refused"},
		Remarks:  []string{"the recording has 2 gaps; what was in them is not replayed"},
	}
}

func newFakeReplayer() *fakeReplayer {
	return &fakeReplayer{result: replayed(), plan: replay.Preview{
		Target: "node build/index.js", Calls: 57, Others: 3, Subs: []string{"1 cursor", "3 handles"},
		Unmarked: []string{"delete_file", "index_repo"}, Left: 2,
	}, at: []replay.Progress{{All: 57}, {Done: 12, All: 57}}}
}

// Arguments are texts; a number that is none is against the schema.
func (*fakeReplayer) Arguments(_ []byte, all []replaying.Written) (arguments []byte, faults []string, err error) {
	object := map[string]string{}
	for _, one := range all {
		if object[one.Name] = one.Text; one.Text == "wrong" {
			faults = append(faults, "/"+one.Name+" is wrong")
		}
	}
	arguments, err = json.Marshal(object)
	return arguments, faults, err
}
