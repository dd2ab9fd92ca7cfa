package telemetry

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"midwire/session/record"
	"midwire/session/safefile"
)

// errTaken: another process sends the recording.
var errTaken = errors.New("another midwire is sending it: wait until that has ended")

// place is how far a recording was sent: the frame that ended or began the latest span
// that arrived, and which of the spans of that frame it was. The same frames
// make the same spans, so nothing else is needed to continue.
type place struct {
	Frame uint64 `json:"frame"`
	Span  int    `json:"span"`
}

func (p place) precedes(q place) bool {
	return p.Frame < q.Frame || p.Frame == q.Frame && p.Span < q.Span
}

// position is the file with the place of a recording. It is written over, never longer
// and always with as many bytes: a full disk does not keep it from being written.
type position struct {
	Format   int    `json:"midwire_sent"`
	Endpoint string `json:"endpoint"` // a hash: its URL may be a secret
	place
	Done bool `json:"done"` // all of the recording was sent

	file *os.File
}

const positionSize = 256

// openPosition opens the file beside a recording, and locks it. A position that belongs to
// another endpoint is none.
func openPosition(recording, endpoint string) (*position, error) {
	f, err := safefile.Create(record.PositionFile(recording), 0)
	if err != nil {
		return nil, fmt.Errorf("position: %w", err)
	}
	if safefile.IsTaken(f) {
		f.Close()
		return nil, errTaken
	}
	p := &position{file: f}
	data, err := io.ReadAll(io.LimitReader(f, positionSize))
	own := hashed(endpoint)
	if json.Unmarshal(data, p) != nil || p.Format != 1 || p.Endpoint != own {
		p = &position{file: f}
	}
	p.Format, p.Endpoint = 1, own
	return p, errors.Join(err, p.save())
}

// save writes the position. Without a file there is nothing to do.
func (p *position) save() error {
	if p.file == nil {
		return nil
	}
	line, err := json.Marshal(p)
	if err == nil {
		line = append(line, bytes.Repeat([]byte(" "), max(0, positionSize-1-len(line)))...)
		_, err = p.file.WriteAt(append(line, '\n'), 0)
	}
	if err != nil {
		return fmt.Errorf("position: %w", err)
	}
	return nil
}

func (p *position) close() {
	if p.file != nil {
		p.file.Close()
	}
}

// unsent reports whether the recording has a position for an endpoint and was not sent
// to its end.
func unsent(recording, endpoint string) bool {
	data, err := safefile.ReadOwn(record.PositionFile(recording), positionSize)
	var p position
	return err == nil && json.Unmarshal(data, &p) == nil && p.Endpoint == hashed(endpoint) && !p.Done
}

func hashed(endpoint string) string {
	sum := sha256.Sum256([]byte(endpoint))
	return hex.EncodeToString(sum[:8])
}
