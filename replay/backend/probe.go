package backend

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"midwire/replay"
	"midwire/replay/probe"
	"midwire/session/record"
	"midwire/ui/replaying"
)

// probe asks about one request. What it came to is the problem of the comparison, besides the ways
// that were tried. Of a recording that was made here it is
// noted, and so evidence.
func (r *Replayer) probe(
	ctx context.Context, q replaying.Request, j *job, tell func(replay.Progress),
) (*replay.Comparison, error) {
	call, ok := j.script.Call(q.Frame, q.Batch)
	if !ok {
		return nil, fmt.Errorf("#%d is no request of a client", q.Frame)
	}
	const most = 24
	at, files := replay.Progress{All: most}, []string{}
	opt := probe.Options{
		Server: j.opt.Server, Yes: j.opt.Yes, Most: most,
		Seen: func(*probe.Try) {
			at.Done++
			tell(at)
		},
	}
	opt.Record = func(h record.Header) *record.Writer {
		w := j.opt.Record(h)
		files = append(files, w.Path())
		return w
	}
	result, err := probe.Run(ctx, j.script, call, opt)
	if result == nil || len(result.Tries) == 0 {
		return nil, err
	}
	if err == nil && j.own && result.Outcome != probe.Other {
		err = result.Note(j.script, call)
	}
	out := &replay.Comparison{First: q.Recording, SecondName: j.target, Found: true}
	if result.Says != "" {
		out.Problems = append(out.Problems, result.Says)
		if not := result.NotKept(j.own); not != "" {
			out.Problems = append(out.Problems, not)
		}
	}
	out.Tries = []replay.Tried{{Name: "as recorded, #" + strconv.Itoa(int(q.Frame)), Answer: result.Was, Times: 1}}
	for _, t := range result.Tries {
		out.Tries = append(out.Tries, replay.Tried{Name: t.Name, Answer: t.Answer, Served: t.Served, Times: t.Times})
	}
	if len(files) > 0 {
		out.Second = idOf(files[len(files)-1])
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		out.Problems = append(out.Problems, err.Error())
	}
	return out, err
}
