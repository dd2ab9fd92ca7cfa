package record

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// DefaultDir returns the folder of recordings: "recordings" in $MIDWIRE_HOME,
// else in $XDG_STATE_HOME/midwire, else in %LocalAppData%\midwire on Windows
// and ~/.local/state/midwire everywhere else. It does not create it. Pass
// os.Getenv, runtime.GOOS and os.UserHomeDir.
func DefaultDir(getenv func(string) string, goos string, home func() (string, error)) (string, error) {
	const name, folder = "midwire", "recordings"
	if dir := getenv("MIDWIRE_HOME"); dir != "" {
		return filepath.Join(dir, folder), nil
	}
	// The standard says to ignore a relative one: it would mean another folder
	// in every working directory.
	if dir := getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, name, folder), nil
	}
	if goos == "windows" {
		if dir := getenv("LocalAppData"); dir != "" {
			return filepath.Join(dir, name, folder), nil
		}
	}
	dir, err := home()
	if err != nil {
		return "", fmt.Errorf("home folder unknown: %w; set MIDWIRE_HOME to a folder for recordings", err)
	}
	if goos == "windows" {
		return filepath.Join(dir, "AppData", "Local", name, folder), nil
	}
	return filepath.Join(dir, ".local", "state", name, folder), nil
}

// birth is how long a tap may take to write the header of a new file.
const birth = 2 * time.Second

// Entry is one recording in a folder.
type Entry struct {
	ID       string // the name of the file without .jsonl
	Path     string
	Header   Header // zero when Err is set
	Size     int64
	Modified time.Time
	Live     bool  // a tap is writing it
	Torn     bool  // not live, and its last line is not complete
	Err      error // why it cannot be read, as Open would say it
}

// List returns the recordings in a folder, newest first. It reads the header
// of each and no more; a file that cannot be read is an Entry with Err. A
// folder that does not exist has none.
func List(dir string) ([]Entry, error) {
	ids, err := Names(dir)
	if err != nil {
		return nil, err
	}
	all := make([]Entry, 0, len(ids))
	for _, id := range ids {
		e := entry(File(dir, id))
		if errors.Is(e.Err, fs.ErrNotExist) ||
			errors.Is(e.Err, errNoHeader) && (e.Live || time.Since(e.Modified) < birth) {
			continue // removed or created at this moment
		}
		all = append(all, e)
	}
	slices.SortStableFunc(all, func(a, b Entry) int { return b.began().Compare(a.began()) })
	return all, nil
}

// Names returns the ids of the recordings in a folder, newest first as far as
// ids tell. It opens no file.
func Names(dir string) ([]string, error) {
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) && !isFile(dir) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("folder of recordings: %w; set MIDWIRE_HOME to another", err)
	}
	var ids []string
	for _, f := range files {
		if id, ok := strings.CutSuffix(f.Name(), extension); ok && id != "" && id[0] != '.' && !f.IsDir() {
			ids = append(ids, id)
		}
	}
	slices.Reverse(ids) // ReadDir sorts by name
	return ids, nil
}

// File is the path of a recording in a folder.
func File(dir, id string) string { return filepath.Join(dir, id+extension) }

// isFile distinguishes a file from a folder that does not exist: to Windows both are a
// path that was not found.
func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// began is the time to sort by: of a copy when it came, whatever its header says, and of no
// recording a time after it was last written to.
func (e *Entry) began() time.Time {
	at := e.Header.Started
	if at.IsZero() || HostOf(e.ID) != "" || at.After(e.Modified) && !e.Modified.IsZero() {
		return e.Modified
	}
	return at
}

func entry(path string) Entry {
	e := Entry{ID: strings.TrimSuffix(filepath.Base(path), extension), Path: path}
	f, err := open(path)
	if err != nil {
		e.Err = err
		return e
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil {
		e.Size, e.Modified = info.Size(), info.ModTime()
		e.Header, err = readHeader(f)
		adopt(&e.Header, e.ID)
	}
	if err != nil {
		e.Header, e.Err = Header{}, fmt.Errorf("%s: %w", path, err)
	}
	e.Live = isLocked(f)
	e.Torn = !e.Live && e.Err == nil && !endsWith(f, "\n")
	return e
}

// IsLive reports whether a tap is writing the recording. It is false for a file
// that cannot be opened.
func IsLive(path string) bool {
	f, err := open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return isLocked(f)
}

// endsWith reports whether the file's last bytes are these.
func endsWith(f *os.File, end string) bool {
	info, err := f.Stat()
	if err != nil || info.Size() < int64(len(end)) {
		return false
	}
	got := make([]byte, len(end))
	_, err = f.ReadAt(got, info.Size()-int64(len(end)))
	return (err == nil || errors.Is(err, io.EOF)) && string(got) == end
}

// Flow returns the recordings of the folder that belong to the flow of one of
// them, itself included, in the order in which they began; only itself when it
// names no flow.
func Flow(dir, path string) ([]string, error) {
	own := entry(path)
	if own.Err != nil || own.Header.Flow == "" || filepath.Dir(path) != filepath.Clean(dir) {
		return []string{path}, nil
	}
	return OfFlow(dir, own.Header.Flow)
}

// OfFlow returns the recordings of a flow, in the order in which they began.
func OfFlow(dir, flow string) ([]string, error) {
	all, err := List(dir)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range slices.Backward(all) {
		if e.Err == nil && e.Header.Flow == flow {
			files = append(files, e.Path)
		}
	}
	return files, nil
}
