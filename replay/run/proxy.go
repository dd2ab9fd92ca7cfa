package run

import (
	"cmp"
	"context"
	"path/filepath"
	"time"

	"midwire/session/record"
)

// proxy is the one in front of an HTTP target.
type proxy struct {
	addr  string
	end   context.CancelFunc
	ended chan struct{}
}

// startProxy puts a proxy of our own in front of the target.
func (r *run) startProxy() error {
	opt := r.opt.HTTP
	opt.Listen = "127.0.0.1:0"
	opt.Host = "keep" // what we send is what the target is called
	tap, err := opt.New(r.opt.URL)
	if err != nil {
		return err
	}
	tap.Started = time.Now()
	tap.Record = r.opt.Record(record.Header{
		Started: tap.Started, Tap: "http", Label: r.label(r.opt.URL.Host),
		Target: r.opt.URL.Redacted(), Listen: tap.Listen.Addr().String(),
	})
	if path := tap.Record.Path(); path != "" {
		r.Other = append(r.Other, path)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.ctx))
	r.proxy = &proxy{addr: tap.Listen.Addr().String(), end: cancel, ended: make(chan struct{})}
	go func() {
		defer close(r.proxy.ended)
		_ = tap.Run(ctx) // it fails only when it cannot accept, which the exchanges say
	}()
	return nil
}

// stop ends the proxy; its recording is complete when it returns.
func (p *proxy) stop() {
	p.end()
	<-p.ended
}

// label names the recording of a replay, and links it to the original.
func (r *run) label(target string) string {
	return "replay of " + cmp.Or(r.Script.Header.ID, filepath.Base(r.Script.Path)) + ": " + target
}
