package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"midwire/session/safefile"
)

// ErrBusy means that another process writes a copy.
var ErrBusy = errors.New("another midwire copies this recording")

// HostOf is the host that a recording was copied from, by the name of its file,
// ID@HOST.jsonl; "" for one that was made here.
func HostOf(id string) string {
	_, host, _ := strings.Cut(id, "@")
	return host
}

// IsCopy reports whether a file is one that OpenCopy has made, readable or not.
func IsCopy(path string) bool {
	named, err := os.Lstat(path)
	if err != nil || HostOf(filepath.Base(path)) == "" || !named.Mode().IsRegular() || !safefile.IsOurs(named) {
		return false
	}
	f, err := safefile.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	start := make([]byte, len(headerStart))
	_, err = f.ReadAt(start, 0)
	return err == nil && string(start) == headerStart
}

// adopt gives the header of a copy the id of its file, so that it is found by it, and
// takes away what means something only on the machine of its proxy.
func adopt(h *Header, id string) {
	if HostOf(id) != "" {
		h.ID, h.Control = id, ""
	}
}

// Look describes one recording of a folder, as List does.
func Look(dir, id string) Entry { return entry(File(dir, id)) }

// Copy is a recording that is written on another host, and here byte by byte. To
// readers it is live as long as it is open.
type Copy struct {
	file  *os.File
	path  string
	lines lineMeter
}

// OpenCopy opens the copy of that id to append to it, and creates it if need be,
// readable by its owner alone. The folder must be private. The error wraps ErrBusy
// while another process has it open. The id must be the name of a file.
func OpenCopy(dir, id string) (*Copy, error) {
	if err := safefile.OwnFolder(dir); errors.Is(err, safefile.ErrShared) {
		return nil, CheckFolder(dir)
	} else if err != nil {
		return nil, err
	}
	path := File(dir, id)
	f, err := safefile.Create(path, os.O_APPEND)
	if err != nil {
		return nil, fmt.Errorf("copy of a recording: %w", err)
	}
	if !lock(f) {
		f.Close()
		return nil, fmt.Errorf("%s: %w", id, ErrBusy)
	}
	c := &Copy{file: f, path: path}
	size, err := c.Size()
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("copy of a recording: %w", err)
	}
	c.lines.n = tailLength(f, size)
	return c, nil
}

// Size is how many bytes the copy has.
func (c *Copy) Size() (int64, error) {
	info, err := c.file.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// ReadAt implements io.ReaderAt.
func (c *Copy) ReadAt(p []byte, at int64) (int, error) { return c.file.ReadAt(p, at) }

// Append adds bytes. On error some of them may have been added: Size says how many. The
// error wraps ErrLongLine, and none were, where they make a line that no reader reads.
func (c *Copy) Append(p []byte) error {
	if _, err := c.lines.Write(p); err != nil {
		return err
	}
	if isRemoved(c.file) {
		return fmt.Errorf("%s: %w", c.path, fs.ErrNotExist)
	}
	_, err := c.file.Write(p)
	return err
}

// Close ends the writing. A copy to which nothing was written is removed.
func (c *Copy) Close() error {
	size, err := c.Size()
	err = errors.Join(err, c.file.Close())
	if err == nil && size == 0 {
		err = os.Remove(c.path)
	}
	return err
}
