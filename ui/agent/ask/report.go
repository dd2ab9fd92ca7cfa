package ask

import (
	"io"

	"midwire/session/export"
	"midwire/session/library"
)

// Report writes a page of HTML about a session, masked as for others.
func (r *Recordings) Report(ref string, w io.Writer) error {
	at, err := r.find(ref)
	if err != nil {
		return err
	}
	options, err := r.Masking()
	if err != nil {
		return err
	}
	e, err := library.NewExport(at.path, r.Version, options, false)
	if err != nil {
		return err
	}
	defer e.Close()
	f := export.ForFile("report.html")
	return e.Write(w, f, at.session)
}
