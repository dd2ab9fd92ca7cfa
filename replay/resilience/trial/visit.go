package trial

import (
	"context"
	"errors"
	"os"
	"time"

	"midwire/replay"
	"midwire/replay/resilience"
)

// Visit is one use of the client by a person.
type Visit struct {
	Fault   resilience.Fault
	Nth, Of int    // of the faults; Nth is 0 for the visit without one
	URL     string // of the server, "" for one on stdio
	Command string // of the server, for a shell
	Config  string // file with "mcpServers"
	News    <-chan News
}

// News is that the client came or went.
type News struct {
	Client string // "" for one that has not said its name
	Gone   bool
}

// What a person may return in place of a verdict.
var (
	ErrSkip = errors.New("it was skipped") // this fault is not judged
	ErrStop = errors.New("it was not played")
)

func (o *Options) visit(ctx context.Context, f resilience.Fault, nth int, p *setting) (end resilience.End, err error) {
	ctx, cancel := context.WithCancel(ctx)
	news, left := make(chan News), make(chan struct{})
	go func() {
		defer close(left)
		o.watch(ctx, p, news)
	}()
	began := time.Now()
	v := Visit{Fault: f, Nth: nth, Of: o.faults, URL: p.url, Config: p.config, News: news}
	if p.url == "" {
		v.Command = replay.JoinWords(p.server)
	}
	end.Attended = true
	end.Person, err = o.Person(ctx, v)
	end.Took = time.Since(began)
	cancel()
	<-left
	return end, err
}

// watch reports when the client comes and goes, as the recordings show it.
func (o *Options) watch(ctx context.Context, p *setting, news chan<- News) {
	const look = 500 * time.Millisecond
	here, known := false, 0
	tell := func(n News) {
		select {
		case news <- n:
		case <-ctx.Done():
		}
	}
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
			return
		case <-time.After(look):
		}
		came, left, client := o.clients(p)
		if came > known && !here {
			tell(News{Client: client})
			here = true
		}
		if known = came; here && left == came {
			tell(News{Client: client, Gone: true})
			here = false
		}
	}
}

// clients reads the recordings of a visit: what cannot be read yet counts for
// nothing.
func (o *Options) clients(p *setting) (came, left int, client string) {
	files, _ := p.files()
	for _, file := range files {
		tape, err := Read(file, o.Rules)
		if err != nil {
			continue
		}
		came, left = came+tape.Came, left+tape.Left
		if name, _ := tape.Peers(); name != "" {
			client = name
		}
	}
	return came, left, client
}

// attend makes the stage on which a person uses the client.
func (o *Options) attend(faults int) (leave func(), err error) {
	if o.Person == nil {
		return func() {}, nil
	}
	o.faults, o.Jobs = faults, 1
	if o.stage, err = newStage(o.Listen); err != nil {
		return nil, err
	}
	return func() { os.RemoveAll(o.stage.dir) }, nil
}
