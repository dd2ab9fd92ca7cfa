package trial

import (
	"context"
	"path/filepath"

	"midwire/intercept"
	"midwire/replay/peer"
	"midwire/replay/resilience"
)

// connect reaches the server through a proxy.
func (o *Options) connect(ctx context.Context, f resilience.Fault) (peer.Peer, error) {
	if o.URL == nil {
		tap := &intercept.Stdio{Command: o.Command}
		return peer.Stdio(tap, o.Record, label(f)+": "+filepath.Base(o.Command[0]), nil)
	}
	at, err := o.http(ctx, f, &stage{listen: "127.0.0.1:0"})
	if err != nil {
		return nil, err
	}
	return peer.HTTP(at.url, nil, func() (string, error) {
		files, _ := at.files()
		return files[0], at.end()
	}), nil
}
