package library

import (
	"path/filepath"
	"strings"

	"midwire/session/export"
	auth "midwire/session/oauth"
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
	opt := auth.Options{Tap: h.Tap, Mask: Mask(options)}
	if !h.Started.IsZero() {
		opt.Started = h.Started.UnixNano()
	}
	b := auth.New(opt)
	if err := ahead(r, func(*wire.Frame) {}, b.Apply); err != nil {
		return nil, err
	}
	a.Account = b.Account()
	if _, bad := r.Bad(); bad > 0 {
		a.Trouble = unreadable(bad)
	}
	return a, nil
}
