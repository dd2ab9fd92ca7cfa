// Package hosts copies the recordings of other hosts into the folder of this one, byte
// by byte, where they are ordinary recordings with the name ID@HOST. A Feed serves the
// recordings of a host over a stream, which is ssh's, and Receive takes them; Shipper
// and Drain do the same over NATS JetStream.
//
// What comes from the other side is not trusted: names are checked before they become
// names of files, lengths and numbers have limits, and texts are made harmless.
// docs/hosts.md describes it for users.
package hosts

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"midwire/session/safe"
	"midwire/session/words"
)

// Limits of what a peer may send.
const (
	maxName       = 64 // bytes of the name of a host or a recording
	maxLabel      = 200
	maxLine       = 8 << 10   // bytes of a line of the protocol
	maxChunk      = 128 << 10 // bytes of a recording at once
	maxRecordings = 20_000    // of a host
	maxOpen       = 200       // copies that are written at the same time
	maxHosts      = 200       // in a stream
)

// MaxBytes is how much one host may send in one run unless the user says otherwise.
const MaxBytes = 1 << 30

// Recording is what a host says of one of its recordings.
type Recording struct {
	ID      string    `json:"id"`
	Label   string    `json:"label,omitempty"`
	Started time.Time `json:"started"`
	Size    int64     `json:"size"`
	Live    bool      `json:"live,omitempty"`
}

// Choice says which recordings are copied.
type Choice struct {
	IDs   []string  // these, and no others; none: by the other members
	Since time.Time // those that are live or began since then; zero: all
}

func (c *Choice) has(r *Recording) bool {
	if len(c.IDs) == 0 {
		return r.Live || !r.Started.Before(c.Since)
	}
	return slices.ContainsFunc(c.IDs, func(id string) bool { return id != "" && strings.HasPrefix(r.ID, id) })
}

// Options are what all that copy have in common.
type Options struct {
	Dir    string // of the recordings
	Choice Choice
	Max    int64             // bytes of one host in one run; 0: MaxBytes
	Once   bool              // end when what there is was copied
	Say    func(text string) // what happened, safe for a terminal
}

func (o *Options) max() int64 { return cmp.Or(o.Max, MaxBytes) }

// amount is a bound as a user gives it, in the largest unit of which there is one.
func amount(bytes int64) string {
	unit, name := 1.0, "bytes"
	for _, larger := range []string{"KiB", "MiB", "GiB"} {
		if float64(bytes) < unit*1024 {
			break
		}
		unit, name = unit*1024, larger
	}
	return strings.TrimSuffix(strconv.FormatFloat(float64(bytes)/unit, 'f', 1, 64), ".0") + " " + name
}

// Waits between two tries to connect.
const (
	firstWait = 500 * time.Millisecond
	lastWait  = 30 * time.Second
)

// errDone ends what only takes what there is.
var errDone = errors.New("everything was copied")

// retry does what may fail until it is done or ctx ends, or with Once until it fails.
func (o *Options) retry(ctx context.Context, who string, do func() error) error {
	wait, last := firstWait, ""
	for {
		started := time.Now()
		err := do()
		switch {
		case errors.Is(err, errDone) || ctx.Err() != nil && !o.Once:
			return nil
		case ctx.Err() != nil:
			return fmt.Errorf("%s: interrupted before everything was copied. The next run continues there", who)
		case errors.Is(err, context.DeadlineExceeded):
			err = errors.New("the server does not respond")
		case errors.Is(err, nats.ErrNoResponders) || errors.Is(err, jetstream.ErrJetStreamNotEnabled):
			err = errors.New("the server has no JetStream: start it with it (nats-server -js)")
		}
		if o.Once || errors.Is(err, errUnmasked) {
			return fmt.Errorf("%s: %w", who, err)
		}
		if time.Since(started) > lastWait/2 {
			wait, last = firstWait, ""
		}
		if text := shown(err.Error()); text != last {
			last = text
			o.Say(who + ": " + text + "; trying again")
		}
		if !sleep(ctx, wait) {
			return nil
		}
		wait = min(2*wait, lastWait)
	}
}

// sleep is false when ctx has ended.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// CheckName returns an error unless a name is one that a host or a recording may have:
// letters, digits, _, - and dots that are not at its beginning. It is safe in a path
// and on a terminal.
func CheckName(name string) error {
	if name == "" || len(name) > maxName {
		return fmt.Errorf("a name has 1 to %d characters, not %d", maxName, len(name))
	}
	for i, c := range []byte(name) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_':
		case (c == '-' || c == '.') && i > 0:
		default:
			return fmt.Errorf("%q is not a name: it has %q", shown(name), safe.Whole(string(rune(c))))
		}
	}
	return nil
}

// shown is a text of a peer as it may be printed.
func shown(text string) string { return safe.Clean(words.Clip(text, 200)) }

// proof tells two files apart whose first bytes, at of them, should be the same: it is a
// hash of the beginning and the end of these.
func proof(r io.ReaderAt, at int64) (string, error) {
	const edge = 4 << 10
	sum := sha256.New()
	fmt.Fprintf(sum, "%d\n", at)
	for _, part := range [][2]int64{{0, min(at, edge)}, {max(0, at-edge), at}} {
		n, err := io.Copy(sum, io.NewSectionReader(r, part[0], part[1]-part[0]))
		if err == nil && n < part[1]-part[0] {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:16]), nil
}

// proves reports whether a hash is that of the first bytes, at of them.
func proves(r io.ReaderAt, at int64, hash string) bool {
	of, err := proof(r, at)
	return err == nil && of == hash
}
