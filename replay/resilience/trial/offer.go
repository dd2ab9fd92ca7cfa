package trial

import (
	"context"
	"net"
	"net/url"
	"time"

	"midwire/replay/checks"
	"midwire/replay/offers"
	"midwire/replay/resilience"
	"midwire/session/diagnose"
)

// offering is o with the server of an offer behind it, until end is called.
func (o *Options) offering(ctx context.Context, f resilience.Fault) (with *Options, end func(), err error) {
	if !o.Offers {
		return o, func() {}, nil
	}
	slow := time.Duration(0)
	if f.Offer != nil {
		slow = f.Slow
	}
	p := *o
	if o.Stdio {
		p.Command = []string{o.Self, "offer-server", "--offer", f.Name, "--slow", slow.String()}
		for _, tool := range o.Tools {
			p.Command = append(p.Command, "--tool", tool)
		}
		return &p, func() {}, nil
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = (&offers.Server{Offer: f.Name, Tools: o.Tools, Slow: slow}).Serve(ctx, ln) // what it cannot serve shows
	}()
	p.URL = &url.URL{Scheme: "http", Host: ln.Addr().String(), Path: "/mcp"}
	return &p, func() { cancel(); <-served }, nil
}

// learn takes from a trial without a fault what the offers need, and what the rules say of
// the client.
func (o *Options) learn(r *checks.Report, base *resilience.Trial) (formal []*checks.Check) {
	if !o.Offers {
		return nil
	}
	r.Opposite = "" // it is midwire
	for _, t := range base.Tapes {
		o.Tools = append(o.Tools, t.Tools()...)
		formal = append(formal, t.Formal(diagnose.Client)...)
	}
	return formal
}
