package library

import (
	"path/filepath"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/export"
	"midwire/session/oauth"
	"midwire/session/record"
	"midwire/session/wire"
)

// Auth reads what a recording shows of authorization. Texts that quote
// credentials are masked as options say; tokens are masked in any case.
func Auth(file string, options record.Options) (*export.Authorization, error) {
	r, err := record.Open(file)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	h := r.Header()
	a := &export.Authorization{Recording: h.ID, Tap: h.Tap}
	if h.ID == "" {
		a.Recording = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	}
	tracker, checker := diagnose.New(session.Options{Tap: h.Tap}, nil)
	checker.Began(began(h, Mask(options)))
	if err := readAhead(r, readNothing, func(f *wire.Frame, _ *session.Ahead) { tracker.Apply(f) }); err != nil {
		return nil, err
	}
	checker.Finish()
	a.Account = checker.Logins().Account()
	a.Trouble = unread(r)
	return a, nil
}

// began is what the header of a recording says of its logins.
func began(h record.Header, mask func(string) string) oauth.Options {
	opt := oauth.Options{Mask: mask}
	if !h.Started.IsZero() {
		opt.Started = h.Started.UnixNano()
	}
	return opt
}
