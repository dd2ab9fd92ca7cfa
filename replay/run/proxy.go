package run

import (
	"cmp"
	"path/filepath"

	"midwire/replay/peer"
)

func (r *run) startProxy() error {
	tap, stop, err := peer.Proxy(r.ctx, r.opt.HTTP, r.opt.URL, nil, r.opt.Record, r.label(r.opt.URL.Host))
	if err != nil {
		return err
	}
	if path := tap.Record.Path(); path != "" {
		r.Other = append(r.Other, path)
	}
	r.proxy, r.stopProxy = tap.Listen.Addr().String(), stop
	return nil
}

// label names the recording of a replay, and links it to the original.
func (r *run) label(target string) string {
	return "replay of " + cmp.Or(r.Script.Header.ID, filepath.Base(r.Script.Path)) + ": " + target
}
