package record

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Format is the format number this package writes, and the newest it reads.
const Format = 1

// ErrNotRecording means that a file is not a recording.
var ErrNotRecording = errors.New("not a midwire recording")

// ErrNewer means that a recording has a newer format.
var ErrNewer = errors.New("written by a newer midwire: please update midwire")

// errNoHeader is a file whose first line is not complete.
var errNoHeader = fmt.Errorf("%w: it ends within its first line: the proxy was killed before it recorded anything", ErrNotRecording)

const headerStart = `{"midwire":`

// Header is the first line of a recording.
type Header struct {
	Format  int       `json:"midwire"` // set by Create
	ID      string    `json:"id"`      // chosen by Create when empty
	Started time.Time `json:"started"` // when the clock of the frames began; now when zero
	Tap     string    `json:"tap"`     // "stdio" or "http"
	Label   string    `json:"label,omitempty"`
	Command []string  `json:"command,omitempty"` // stdio: the server's command line, secrets masked
	Cwd     string    `json:"cwd,omitempty"`
	Target  string    `json:"target,omitempty"` // http: URL of the server
	Listen  string    `json:"listen,omitempty"` // http: address for clients
	Pid     int       `json:"pid,omitempty"`    // the tap's own process
	Host    string    `json:"host,omitempty"`
	Control string    `json:"control,omitempty"` // address of the tap's control socket; means something only in what Own accepts
	Flow    string    `json:"flow,omitempty"`    // the same in recordings of one traffic at several places, as on both sides of a gateway
	Side    string    `json:"side,omitempty"`    // of a gateway that recorded all of its legs: "client" or "server"
	// ClientSession is the id of the client's session that a leg to a server belongs to, "" for none or several.
	ClientSession string `json:"client_session,omitempty"`
	Version       string `json:"version,omitempty"` // of midwire
	Asks          bool   `json:"asks,omitempty"`    // midwire itself was the client: probe, test, minimize
	// Secrets says whether credentials were masked; "" in recordings of older versions.
	Secrets string `json:"secrets,omitempty"`
	// Mask are names whose values are masked in this recording, beside those of its
	// options. They are not written.
	Mask []string `json:"-"`
}

// What a header says of credentials.
const (
	SecretsKept   = "kept"
	SecretsMasked = "masked"
)

// idLetters leaves out what is easily misread.
const idLetters = "abcdefghjkmnpqrstuvwxyz23456789x"

// newID returns an id that sorts by time: 20261121-101500-x7k2q9, in UTC.
func newID(t time.Time) string {
	var r [6]byte
	rand.Read(r[:]) // never fails
	for i, b := range r {
		r[i] = idLetters[b%32]
	}
	return t.UTC().Format("20060102-150405") + "-" + string(r[:])
}

func appendHeader(b []byte, h *Header) ([]byte, error) {
	out := bytes.NewBuffer(b)
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	if err := e.Encode(h); err != nil {
		return b, fmt.Errorf("header of recording: %w", err)
	}
	return out.Bytes(), nil
}

// parseHeader reads the first line of a file. whole reports whether its end was
// seen.
func parseHeader(line []byte, whole bool) (Header, error) {
	var h Header
	var number struct {
		Midwire *json.Number `json:"midwire"`
	}
	err := json.Unmarshal(line, &number)
	switch {
	case err != nil && !whole &&
		(bytes.HasPrefix(line, []byte(headerStart)) || strings.HasPrefix(headerStart, string(line))):
		return h, errNoHeader
	case err != nil || number.Midwire == nil:
		return h, fmt.Errorf("%w: it starts with %s", ErrNotRecording, kindOf(line))
	}
	format, err := number.Midwire.Int64()
	if err != nil || format < 1 {
		return h, fmt.Errorf("%w: unknown format number", ErrNotRecording)
	}
	if format > Format {
		return h, fmt.Errorf("format %d, %w", format, ErrNewer)
	}
	if err := json.Unmarshal(line, &h); err != nil {
		return h, fmt.Errorf("%w: invalid header", ErrNotRecording)
	}
	return h, nil
}

// kindOf says what an unknown file starts with. It quotes nothing: who asks for a
// file may not be the one who may read it.
func kindOf(line []byte) string {
	switch {
	case bytes.HasPrefix(line, []byte("{")):
		return "JSON of another kind"
	case utf8.Valid(line) && bytes.IndexByte(line, 0) < 0:
		return "other text"
	}
	return "binary data"
}
