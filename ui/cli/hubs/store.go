package hubs

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/url"
	"strings"

	"midwire/intercept/hub"
	"midwire/intercept/hub/nats"
	"midwire/intercept/hub/registry"
)

// openStore opens the store that a user names: the file of a journal, or a bucket
// of NATS.
func openStore(ctx context.Context, name, usual string) (registry.Store, error) {
	if name == "" {
		name = usual
	}
	if scheme, _, ok := strings.Cut(name, "://"); ok {
		if scheme == "nats" || scheme == "tls" {
			return nats.Open(ctx, name)
		}
		return nil, fmt.Errorf("--store: %s is no kind of store that midwire knows", scheme)
	}
	j, err := registry.OpenJournal(name)
	if err != nil {
		return nil, fmt.Errorf("--store: %w", err)
	}
	return j, nil
}

// join makes the hub one of those that share its store. Where others reach it is
// what the user advertises, else where it listens. leave takes it off their list.
func (e *Env) join(ctx context.Context, h *hub.Hub, advertise string) (leave func(), err error) {
	store, ok := h.Store.(*nats.Store)
	if !ok {
		if advertise != "" {
			return nil, e.usagef("--advertise is for hubs that share a store: --store nats://…")
		}
		return func() {}, nil
	}
	if a, ok := h.Listen.Addr().(*net.TCPAddr); ok && advertise == "" {
		if a.IP.IsUnspecified() {
			return nil, e.usagef("%s is no address for other hubs. Say where they reach this one with --advertise http://HOST:PORT", a)
		}
		advertise = "http://" + a.String()
	}
	u, err := url.Parse(advertise)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, e.usagef("--advertise is a URL like http://10.0.0.5:7000, not %q", advertise)
	}
	h.Name = rand.Text()[:16]
	h.AllowHosts = append(h.AllowHosts[:len(h.AllowHosts):len(h.AllowHosts)], u.Hostname())
	members, err := store.Join(ctx, h.Name, advertise)
	if err != nil {
		return nil, err
	}
	h.Members = members
	return members.Leave, nil
}
