package summary

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"midwire/session/diagnose"
	"midwire/session/diagnose/rules"
	"midwire/session/record"
	"midwire/session/safefile"
)

// Format is the version of the file. It grows with every change of what a
// summary holds or how it is counted: files of any other version are not read.
const Format = 10

const (
	suffix  = ".summary.json"
	maxFile = 1 << 20
	ends    = 64 << 10 // what is hashed of each end of a recording
	opening = `{"midwire_summary":`
	stale   = time.Hour // a draft that is older was left behind
)

// ErrNotKept is wrapped by Keep where a summary has no place: the recording is
// being written or has changed, or it or its folder belongs to another user.
var ErrNotKept = errors.New("summary not kept")

// File returns the path of a recording's summary.
func File(recording string) string { return strings.TrimSuffix(recording, ".jsonl") + suffix }

// Size returns the number of bytes kept next to a recording.
func Size(recording string) (n int64) {
	for _, file := range []string{File(recording), record.PositionFile(recording)} {
		if info, err := os.Lstat(file); err == nil {
			n += info.Size()
		}
	}
	return n
}

// Remove deletes what is kept beside a recording, if there is something.
func Remove(recording string) error {
	err := errors.Join(removed(os.Remove(File(recording))), removed(os.Remove(record.PositionFile(recording))))
	if err != nil {
		return fmt.Errorf("summary: %w", err)
	}
	return nil
}

// madeHere is the Maker of the summaries that this program makes.
var madeHere = sync.OnceValue(func() string { return fingerprint(rules.All()) })

// fingerprint stands for a program that asks these rules: another one, or another version
// of it, may find something else.
func fingerprint(ask []*diagnose.Rule) string {
	h := sha256.New()
	fmt.Fprintln(h, Format)
	if build, ok := debug.ReadBuildInfo(); ok {
		fmt.Fprintln(h, build.Main.Version, build.Settings)
	}
	for _, r := range ask {
		fmt.Fprintln(h, r.ID, r.Severity, r.Side, r.Title)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// identify reads what a summary knows a recording by.
func identify(path string) (id Identity, err error) {
	f, err := safefile.Open(path)
	if err != nil {
		return id, fmt.Errorf("recording: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return id, fmt.Errorf("recording: %w", err)
	}
	size := info.Size()
	h := sha256.New()
	for _, from := range []int64{0, max(0, size-ends)} {
		if _, err := io.Copy(h, io.NewSectionReader(f, from, min(ends, size))); err != nil {
			return id, fmt.Errorf("recording: %w", err)
		}
	}
	return Identity{size, info.ModTime().UnixNano(), hex.EncodeToString(h.Sum(nil))}, nil
}

// Read returns the kept summary of a recording. There is none when it describes
// another content of the file, or another program made it.
func Read(recording string) (*Recording, bool) {
	info, err := os.Stat(recording)
	if err != nil {
		return nil, false
	}
	raw, err := safefile.ReadOwn(File(recording), maxFile)
	if err != nil {
		return nil, false
	}
	s, err := decode(raw)
	if err != nil || s.Maker != madeHere() || s.Of.Size != info.Size() || s.Of.Modified != info.ModTime().UnixNano() {
		return nil, false
	}
	if of, err := identify(recording); err != nil || s.Of != of {
		return nil, false
	}
	return s, true
}

// Keep writes a summary beside its recording, whole or not at all. Its errors
// are no reason to stop: the recording can be read again.
func Keep(recording string, s *Recording) error {
	info, err := os.Lstat(recording)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotKept, err)
	}
	folder, err := os.Stat(filepath.Dir(recording))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotKept, err)
	}
	switch of, err := identify(recording); {
	case !info.Mode().IsRegular() || !safefile.IsOurs(info) || !safefile.IsOurs(folder):
		return fmt.Errorf("%w: it or its folder belongs to another user", ErrNotKept)
	case err != nil || of != s.Of:
		return fmt.Errorf("%w: the recording has changed", ErrNotKept)
	case record.IsLive(recording):
		return fmt.Errorf("%w: the recording is being written", ErrNotKept)
	}
	raw, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("summary: %w", err)
	}
	return safefile.Replace(File(recording), func(w io.Writer) error {
		_, err := w.Write(append(raw, '\n'))
		return err
	})
}

// Get returns the kept summary of a recording that has ended, or makes it and
// keeps it where that can be done.
func Get(ctx context.Context, recording string) (*Recording, error) {
	if s, ok := Read(recording); ok {
		return s, nil
	}
	return renew(ctx, recording)
}

func renew(ctx context.Context, recording string) (*Recording, error) {
	s, err := Make(ctx, recording)
	if err == nil {
		_ = Keep(recording, s) // it is made again next time
	}
	return s, err
}

// Sweep removes what was kept in a folder beside recordings that are not there,
// and drafts that were left behind.
func Sweep(dir string, now time.Time) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil // where there is no folder nothing is left behind
	}
	var failed []error
	for _, f := range files {
		begins := opening
		id, ok := strings.CutSuffix(f.Name(), suffix)
		if !ok {
			id, ok = strings.CutSuffix(f.Name(), record.PositionSuffix)
			begins = record.PositionOpening
		}
		if ok && f.Type().IsRegular() {
			_, err := os.Lstat(record.File(dir, id))
			if errors.Is(err, os.ErrNotExist) && isOurs(filepath.Join(dir, f.Name()), begins) {
				failed = append(failed, os.Remove(filepath.Join(dir, f.Name())))
			}
			continue
		}
		info, err := f.Info()
		draft := strings.HasPrefix(f.Name(), ".") && strings.Contains(f.Name(), suffix+"-")
		if draft && err == nil && info.Mode().IsRegular() && now.Sub(info.ModTime()) > stale {
			failed = append(failed, os.Remove(filepath.Join(dir, f.Name())))
		}
	}
	return errors.Join(failed...)
}

// isOurs reports whether a file is ours, by its beginning: someone else
// may use such a name.
func isOurs(path, begins string) bool {
	f, err := safefile.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	start := make([]byte, len(begins))
	_, err = io.ReadFull(f, start)
	return err == nil && string(start) == begins
}

func removed(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
