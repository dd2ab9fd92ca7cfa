package library

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"midwire/session/diagnose"
	"midwire/session/diagnose/rules"
	"midwire/session/export"
	"midwire/session/record"
	"midwire/session/safefile"
	"midwire/session/wire"
)

// Files writes what a user at a screen wants to keep, and puts into words
// what a shell can do. Files are new ones of mode 0600, in the current folder
// or, where nothing can be written, beside the recording. Any goroutine may
// call its methods.
type Files struct {
	Path    func(id string) string // where the recording of an id is
	Frame   func(id string, n uint64) (wire.Frame, error)
	Home    func() (string, error) // where recordings live
	Options func() (record.Options, error)
	Version string
}

func exportName(id string, session int) string {
	if session > 0 {
		return fmt.Sprintf("%s-session-%d", id, session)
	}
	return id
}

// Export writes a recording, or with session, from 1, that alone, in one of
// export.Formats, masked, and returns the path of the new file.
func (f *Files) Export(ctx context.Context, id string, session int, format string) (string, error) {
	kind, ok := export.Find(format)
	if !ok {
		return "", fmt.Errorf("no format %q", format)
	}
	opt, err := f.Options()
	if err != nil {
		return "", err
	}
	path := f.Path(id)
	e, err := NewExport(path, f.Version, opt, false, nil)
	if err != nil {
		return "", err
	}
	defer e.Close()
	if session > e.Sessions {
		return "", fmt.Errorf("the recording has no session %d yet", session)
	}
	write := func(w io.Writer) error { return e.Write(until{ctx, w}, format, session) }
	return create(path, exportName(id, session)+kind.Ending, write)
}

// until writes as long as ctx is good.
type until struct {
	ctx context.Context
	w   io.Writer
}

func (u until) Write(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.w.Write(p)
}

// SARIF writes findings of recordings, by id.
func (f *Files) SARIF(found map[string][]*diagnose.Finding) (string, error) {
	opt, err := f.Options()
	if err != nil {
		return "", err
	}
	var all []export.Found
	near := ""
	for id, list := range found {
		near = f.Path(id)
		all = append(all, export.Findings(export.Checked{ID: id, Findings: list})...)
	}
	MaskFindings(all, nil, opt)
	text, err := export.FindingsSARIF(all, nil, rules.All(), f.Version)
	if err != nil {
		return "", err
	}
	return create(near, "findings.sarif", func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
}

// Save writes bytes of a recording to a file of about that name.
func (f *Files) Save(id, name string, data []byte) (string, error) {
	return create(f.Path(id), name, func(w io.Writer) error { _, err := w.Write(data); return err })
}

// maxBetween is how far apart the head and the body of a request may stand.
const maxBetween = 100_000

// Curl is a shell command for the HTTP request whose head is frame n.
// Credentials in it are masked; the session id is as it was.
func (f *Files) Curl(id string, n uint64) (string, error) {
	opt, err := f.Options()
	if err != nil {
		return "", err
	}
	h, err := header(f.Path(id))
	if err != nil {
		return "", err
	}
	masker := forOthers(opt)
	head, err := f.Frame(id, n)
	if err != nil {
		return "", err
	}
	frames := f.opened(id, &head)
	for end := n + maxBetween; n < end; n++ {
		one, err := f.Frame(id, n)
		if err != nil {
			break // the recording ends here, as yet
		}
		if one.X != head.X {
			continue
		}
		masker.Frame(&one)
		one.Data = append([]byte(nil), one.Data...)
		frames = append(frames, &one)
		if one.Kind == wire.KindResponse || one.Kind == wire.KindClose ||
			one.Kind == wire.KindBody && one.Part != wire.More {
			break
		}
	}
	text, ok := export.Curl(masker.Text(h.Target), frames)
	if !ok {
		return "", errors.New("not an HTTP request")
	}
	return text, nil
}

// opened is the open frame of a frame's connection, if it is near.
func (f *Files) opened(id string, of *wire.Frame) []*wire.Frame {
	for n := of.N - 1; n > 0 && of.N-n < maxBetween; n-- {
		one, err := f.Frame(id, n)
		if err != nil {
			break
		}
		if one.Kind == wire.KindOpen && one.Conn == of.Conn {
			one.Data = append([]byte(nil), one.Data...)
			return []*wire.Frame{&one}
		}
	}
	return nil
}

// ReplayLine is a shell command that replays a recording, or with session, from
// 1, that alone.
func (f *Files) ReplayLine(id string, session int) (string, error) {
	path := f.Path(id)
	h, err := header(path)
	if err != nil {
		return "", err
	}
	name, own := path, false
	if dir, err := f.Home(); err == nil {
		if found, err := record.Resolve(dir, id); err == nil && safefile.SamePath(found, path) {
			name = id
		}
		own = record.IsOwn(dir, path)
	}
	if !own { // a recording of another user does not say what is run
		h.Target, h.Command = "", nil
	}
	opt, err := f.Options()
	if err != nil {
		return "", err
	}
	masker := forOthers(opt)
	return export.ReplayLine(name, session, masker.Text(h.Target), masker.Command(h.Command)), nil
}

func header(path string) (record.Header, error) {
	r, err := record.Open(path)
	if err != nil {
		return record.Header{}, err
	}
	defer r.Close()
	return r.Header(), nil
}

// create writes a new file into the current folder, or else beside a recording.
func create(near, name string, write func(io.Writer) error) (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		dir = filepath.Dir(near)
	}
	out, err := openNew(dir, name)
	if err != nil && filepath.Dir(near) != dir {
		var err2 error
		if out, err2 = openNew(filepath.Dir(near), name); err2 == nil {
			err = nil
		}
	}
	if err != nil {
		return "", fmt.Errorf("%w; start midwire in a writable folder", err)
	}
	return fill(out, write)
}

// fill writes all of a new file, or leaves nothing of it.
func fill(out *os.File, write func(io.Writer) error) (string, error) {
	to := bufio.NewWriterSize(out, 64<<10)
	err := write(to)
	if err = errors.Join(err, to.Flush(), out.Close()); err != nil {
		os.Remove(out.Name())
		return "", fmt.Errorf("writing %s: %w; the partial file was removed", out.Name(), err)
	}
	return out.Name(), nil
}

// openNew creates a file of that name, or name-2 and so on. It opens none that
// exists.
func openNew(dir, name string) (*os.File, error) {
	name = plainName(name)
	stem, ending, dot := strings.Cut(name, ".")
	if dot {
		ending = "." + ending
	}
	for i := 1; ; i++ {
		try := name
		if i > 1 {
			try = fmt.Sprintf("%s-%d%s", stem, i, ending)
		}
		f, err := os.OpenFile(filepath.Join(dir, try), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil || !errors.Is(err, fs.ErrExist) || i == 10_000 {
			return f, err
		}
	}
}

// plainName makes a file name of what may come from the wire.
func plainName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == '.' || r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, name)
	if len(name) > 100 {
		name = name[:60] + name[len(name)-40:]
	}
	if name = strings.TrimLeft(name, ".-"); name == "" {
		return "midwire"
	}
	return name
}
