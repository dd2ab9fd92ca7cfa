package run

import (
	"cmp"
	"path/filepath"
)

func (r *run) startProxy() error {
	tap, stop, err := r.opt.Proxy(r.ctx, nil, r.label(r.opt.URL.Host))
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
