// Package ask is what can be asked about recordings by a program: each question
// is a type with an Ask method, and what comes back is a Result that can be
// printed as Markdown or as JSON. The tools of the MCP server and their twins on
// the command line are both made of it.
//
// What a result quotes comes from peers that may be hostile. In Markdown it
// stands between fences that it cannot break, without control characters.
package ask

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"midwire/session/export"
	"midwire/session/library"
	"midwire/session/record"
	"midwire/session/safe"
	"midwire/session/words"
)

// Recordings are what is asked about: those of a folder. Any goroutine may use
// them.
type Recordings struct {
	Folder  func() (string, error)
	Files   bool      // references may also name files that lie elsewhere, last, and - for Stdin
	Stdin   io.Reader // a recording
	Version string
	Masking func() (record.Options, error) // of what is given away
	Keep    bool                           // texts that look like tokens stay as they are
	Replay  Replayer                       // nil where nothing may be sent or started
	Trouble func(error)                    // gets defects of midwire itself; nil for nobody
	Seen    func(done, all int)            // is called as recordings are searched, when it is set

	listing sync.Mutex // one at a time makes summaries

	masking sync.Mutex // guards masker
	masker  func(string) string

	mu   sync.Mutex
	open []*opened // that were used last, the latest at the end
	copy string    // file with what was read from Stdin
}

// place is what a reference stands for: a recording, and in it a session from 1,
// 0 for all of them.
type place struct {
	id, path string
	session  int
}

func (p place) ref() string { return ref(p.id, p.session) }

// ref writes the reference of a session: the recording, a dot and its number.
func ref(id string, session int) string {
	if session == 0 {
		return id
	}
	return id + "." + strconv.Itoa(session)
}

// noSession is the error for a session beyond the last.
func (p place) noSession(last int) error {
	return fmt.Errorf("session %d: %s has %d. midwire_sessions lists them", p.session, p.id, last)
}

// find finds what a reference stands for: a recording, or with a dot and a number
// one of its sessions.
func (r *Recordings) find(ref string) (place, error) {
	dir, err := r.Folder()
	if err != nil {
		return place{}, err
	}
	path, first := r.resolve(dir, ref)
	if first == nil {
		return placeOf(path, 0), nil
	}
	if i := strings.LastIndexByte(ref, '.'); i > 0 {
		n, err := strconv.Atoi(ref[i+1:])
		if path, err2 := r.resolve(dir, ref[:i]); err == nil && err2 == nil && n > 0 {
			return placeOf(path, n), nil
		}
	}
	return place{}, fmt.Errorf("%w. midwire_sessions lists what there is; a session is RECORDING.NUMBER", first)
}

func (r *Recordings) resolve(dir, ref string) (string, error) {
	if r.Files && ref == "-" {
		return r.spooled()
	}
	if r.Files {
		return record.Resolve(dir, ref)
	}
	if ref == "last" || ref == "" || strings.ContainsAny(ref, `/\`) || filepath.IsAbs(ref) {
		return "", fmt.Errorf("no recording %q", safe.Clean(ref))
	}
	if path := record.File(dir, ref); isFile(path) {
		return path, nil
	}
	path, err := record.Resolve(dir, ref)
	if err == nil && filepath.Dir(path) != filepath.Clean(dir) { // a file of the working folder
		return "", fmt.Errorf("no recording %q", safe.Clean(ref))
	}
	return path, err
}

// spooled is the file with what stands on Stdin, which can be read once.
func (r *Recordings) spooled() (path string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.copy == "" {
		r.copy, err = record.Spool(r.Stdin)
	}
	return r.copy, err
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func placeOf(path string, session int) place {
	return place{strings.TrimSuffix(filepath.Base(path), ".jsonl"), path, session}
}

type entry struct {
	record.Entry
	sessions []export.Listed
}

// entries lists the recordings of the folder, newest first. own are those of
// midwire's own MCP server: they are left out and counted, unless asked for.
func (r *Recordings) entries(own bool) (all []entry, left int, err error) {
	dir, err := r.Folder()
	if err != nil {
		return nil, 0, err
	}
	r.listing.Lock()
	defer r.listing.Unlock()
	files, err := record.List(dir)
	if err != nil {
		return nil, 0, err
	}
	listed, err := library.List(dir, nil)
	if err != nil {
		return nil, 0, err
	}
	of := map[string][]export.Listed{}
	for _, l := range listed {
		of[l.Recording] = append(of[l.Recording], l)
	}
	for _, f := range files {
		e := entry{Entry: f, sessions: of[f.ID]}
		if !own && e.ours() {
			left++
			continue
		}
		all = append(all, e)
	}
	return all, left, nil
}

// ours says whether a recording is of a proxy in front of this very program's
// MCP server: what an agent asks midwire is nothing to be diagnosed.
func (e *entry) ours() bool {
	h := e.Header
	if e.Live && h.Pid != 0 && h.Pid == os.Getppid() {
		return true
	}
	command := slices.Contains(h.Command, "mcp")
	if command && strings.HasPrefix(filepath.Base(h.Command[0]), "midwire") {
		return true
	}
	return (command || h.Tap == "http") && slices.ContainsFunc(e.sessions, func(l export.Listed) bool {
		return strings.HasPrefix(l.Server, "midwire ")
	})
}

// prepare reads what is to be masked.
func (r *Recordings) prepare() error {
	r.masking.Lock()
	defer r.masking.Unlock()
	if r.masker != nil || r.Keep {
		return nil
	}
	options, err := r.Masking()
	if err == nil {
		r.masker = library.Mask(options)
	}
	return err
}

func (r *Recordings) mask(text string) string {
	r.masking.Lock()
	defer r.masking.Unlock()
	if r.masker == nil {
		return text
	}
	return r.masker(text)
}

// cut is a text in a line, masked before it is cut: half a token is not known for
// one.
func (r *Recordings) cut(text string, n int) string { return words.Line(r.mask(text), n) }

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
	e, err := library.NewExport(at.path, r.Version, options, false, nil)
	if err != nil {
		return err
	}
	defer e.Close()
	return e.Write(w, export.ForFile("report.html"), at.session)
}

var errNothing = errors.New("no recording yet. Put midwire in front of a server: midwire -- COMMAND, " +
	"midwire http URL, or midwire wrap CLIENT/SERVER; then use the client")
