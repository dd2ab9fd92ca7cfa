package doctor

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"midwire/session/library/prune"
	"midwire/session/record"
	"midwire/session/wire"
	"midwire/session/words"
)

// folder says whether recordings can be written where they belong.
func (c *check) folder(err error) {
	if err != nil {
		c.say(Failed, err.Error(), "set MIDWIRE_HOME to a folder for recordings")
		return
	}
	dir := c.dir
	there, err := nearest(dir)
	if err == nil {
		err = writable(there)
	}
	switch {
	case err != nil:
		c.say(Failed, fmt.Sprintf("%s cannot be written: %v. Traffic is forwarded all the same, and not recorded", dir, err),
			"make it yours (chown, chmod 700), or set MIDWIRE_HOME to another folder")
	case there != dir:
		c.say(OK, dir+" is not there yet; the first recording makes it", "")
	default:
		c.say(OK, dir+" can be written", "")
	}
	if err := record.CheckFolder(dir); err != nil {
		c.say(Warning, err.Error(), "")
	}
}

// nearest is the folder, or what is there of the path to it.
func nearest(dir string) (string, error) {
	for {
		info, err := os.Stat(dir)
		switch up := filepath.Dir(dir); {
		case err == nil && !info.IsDir():
			return dir, fmt.Errorf("%s is no folder", dir)
		case err == nil || !errors.Is(err, fs.ErrNotExist) || up == dir:
			return dir, err
		default:
			dir = up
		}
	}
}

// writable tries it: rights, read-only mounts and quotas have many faces.
func writable(dir string) error {
	f, err := os.CreateTemp(dir, ".midwire-doctor-*")
	if err != nil {
		return cause(err)
	}
	_, err = f.WriteString("x")
	return cause(errors.Join(err, f.Close(), os.Remove(f.Name())))
}

// cause is an error without the path, which was said.
func cause(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	return err
}

// budget is how many bytes of recordings are read without --all.
const budget = 256 << 20

func (c *check) recordings(all bool) {
	entries, err := record.List(c.dir)
	if err != nil {
		c.say(Failed, err.Error(), "")
		return
	}
	var size, read int64
	unread, torn := 0, 0
	for _, e := range entries {
		size += e.Size
		switch {
		case e.Err != nil:
			c.say(Warning, e.ID+" cannot be read: "+e.Err.Error(), "move it out of the folder, or delete it")
			continue
		case e.Torn:
			torn++
		}
		if !all && read+e.Size > budget {
			unread++
			continue
		}
		read += e.Size
		if says := damage(e.Path); says != "" {
			c.say(Warning, e.ID+": "+says, "midwire show "+e.ID+" prints the rest; another disk, or another program, may have done it")
		}
	}
	if torn > 0 {
		c.say(Note, words.Count(torn, "recording")+" of proxies that were killed: the last line is cut off",
			"nothing has to be done; readers stop before that line")
	}
	left := ""
	if unread > 0 {
		left = fmt.Sprintf("; of %d only the first line was read", unread)
	}
	state, next := OK, ""
	if unread > 0 {
		state, next = Note, "midwire doctor --all reads them to the end"
	}
	c.say(state, fmt.Sprintf("%s, %s%s", words.Count(len(entries), "recording"), prune.Bytes(size), left), next)
}

// damage says what in a recording cannot be read, "" for nothing.
func damage(path string) string {
	r, err := record.Open(path)
	if err != nil {
		return err.Error()
	}
	defer r.Close()
	var f wire.Frame
	for err == nil {
		err = r.Next(&f)
	}
	if !errors.Is(err, io.EOF) {
		return err.Error()
	}
	bad, n := r.Bad()
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%s cannot be read, the first at byte %d: %s", words.Count(n, "line"), bad[0].Offset, bad[0].Reason)
}
