package trial

import (
	"context"
	"path/filepath"
	"time"

	"midwire/intercept"
	"midwire/replay/peer"
	"midwire/replay/resilience"
	"midwire/session/record"
	"midwire/session/record/redact"
)

// connect reaches the server through a proxy.
func (o *Options) connect(ctx context.Context, f resilience.Fault) (peer.Peer, error) {
	if o.URL == nil {
		tap := &intercept.Stdio{Command: o.Command, Started: time.Now()}
		return peer.Stdio(tap, o.Record(record.Header{
			Started: tap.Started, Tap: "stdio", Label: label(f) + ": " + filepath.Base(o.Command[0]),
			Command: redact.Args(o.Command),
		}), nil)
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
