package hosts

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"midwire/session/record"
	"midwire/session/safefile"
)

var (
	errGap      = errors.New("bytes are missing")
	errReplaced = errors.New("another recording has its name now; the copy stays as it is, midwire prune or rm deletes it")
	errDeleted  = errors.New("its copy was deleted: it is not copied again in this run")
	errTooMuch  = errors.New("the host has sent as much as --max allows")
	errTooMany  = errors.New("there are too many recordings")
)

// isFinal reports whether an error of an inbox concerns one recording, which is not
// copied then. All others may pass, like a disk that is full.
func isFinal(err error) bool {
	return slices.ContainsFunc([]error{
		record.ErrBusy, record.ErrNotRecording, record.ErrLongLine, errReplaced, errTooMuch, errTooMany, errDeleted,
		fs.ErrPermission, safefile.ErrNoFile,
	}, func(one error) bool { return errors.Is(err, one) })
}

// inbox writes the copies of one host. It belongs to one goroutine.
type inbox struct {
	dir, host string
	max, room int64 // bytes that the host may send, and still may
	open      map[string]*record.Copy
	seen      map[string]bool // ids that were opened in this run
	refused   map[string]bool // ids that are not to be copied in this run
}

// newInbox writes into a folder. host was checked by CheckName.
func newInbox(dir, host string, room int64) *inbox {
	return &inbox{
		dir: dir, host: host, max: room, room: room,
		open: map[string]*record.Copy{}, seen: map[string]bool{}, refused: map[string]bool{},
	}
}

// refuses reports whether a recording is not to be copied; of a host that offers
// without end, none more.
func (b *inbox) refuses(id string) bool { return b.refused[id] || len(b.refused) >= maxRecordings }

// refuse stops the copying of a recording.
func (b *inbox) refuse(id string, why error, say func(string)) {
	b.refused[id] = true
	b.end(id)
	say(id + "@" + b.host + ": not copied: " + shown(why.Error()))
}

// copy is the copy of a recording of the host, open until end.
func (b *inbox) copy(id string) (*record.Copy, error) {
	if c := b.open[id]; c != nil {
		return c, nil
	}
	if err := CheckName(id); err != nil {
		return nil, err
	}
	if !b.seen[id] && len(b.seen) >= maxRecordings {
		return nil, errTooMany
	}
	for other := range b.open {
		if len(b.open) >= maxOpen {
			b.end(other) // until its next bytes
		}
	}
	c, err := record.OpenCopy(b.dir, id+"@"+b.host)
	if err == nil {
		b.open[id], b.seen[id] = c, true
	}
	return c, err
}

// state is how much of a recording is here, and a proof of what that is.
func (b *inbox) state(id string) (size int64, of string, err error) {
	c, err := b.copy(id)
	if err == nil {
		size, err = c.Size()
	}
	if err == nil {
		of, err = proof(c, size)
	}
	return size, of, err
}

// append adds bytes that have a position in the recording, and with a hash that of what
// comes before them. What is here already is not added twice; the error is errGap when
// bytes before them are not here.
func (b *inbox) append(id string, at int64, hash string, data []byte) error {
	c, err := b.copy(id)
	if err != nil {
		return err
	}
	size, err := c.Size()
	if err != nil {
		return err
	}
	switch {
	case at > size:
		return fmt.Errorf("%w between %d and %d", errGap, size, at)
	case hash != "" && !proves(c, at, hash):
		return errReplaced
	case int64(len(data)) <= size-at:
		return nil
	}
	data = data[size-at:]
	if size == 0 && !bytes.HasPrefix(data, []byte(`{"midwire":`)) {
		return record.ErrNotRecording
	}
	if int64(len(data)) > b.room {
		return fmt.Errorf("%w: %s in one run", errTooMuch, amount(b.max))
	}
	b.room -= int64(len(data))
	if err = c.Append(data); errors.Is(err, fs.ErrNotExist) {
		err = errDeleted
	}
	return err
}

// end closes a copy: nothing more will come.
func (b *inbox) end(id string) {
	if c := b.open[id]; c != nil {
		c.Close()
		delete(b.open, id)
	}
}

func (b *inbox) close() {
	for id := range b.open {
		b.end(id)
	}
}
