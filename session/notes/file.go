package notes

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"
)

// Format is the version of the file that is written, and the newest that is
// read.
const Format = 1

// ErrNewer means that a file has a later version.
var ErrNewer = errors.New("written by a newer midwire: please update midwire")

const formatMember = "midwire_notes"

// members are the members of a JSON object that are not understood and kept.
type members map[string]json.RawMessage

func (m members) with(other members) members {
	if len(other) == 0 {
		return m
	}
	if m = maps.Clone(m); m == nil {
		m = members{}
	}
	maps.Copy(m, other)
	return m
}

// tables are the members that hold entries by key.
var tables = [kinds]string{Session: "sessions", Mark: "marks", Comment: "comments", Proof: "proofs"}

// Parse reads a file of notes.
func Parse(data []byte) (*Notes, error) {
	var all members
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("not midwire notes: %w", err)
	}
	var format int
	if json.Unmarshal(all[formatMember], &format) != nil || format < 1 {
		return nil, fmt.Errorf("not midwire notes: %q must be a version, 1 or later", formatMember)
	}
	if format > Format {
		return nil, fmt.Errorf("version %d: %w", format, ErrNewer)
	}
	delete(all, formatMember)
	n := New()
	if raw, ok := all["name"]; ok {
		if e, ok := entry(raw); ok {
			n.entries[Key{}] = e
			delete(all, "name")
		}
	}
	for kind, table := range tables {
		var entries members
		if table == "" || json.Unmarshal(all[table], &entries) != nil {
			continue
		}
		delete(all, table)
		n.odd[kind] = n.take(Kind(kind), entries)
	}
	n.more = all
	return n, nil
}

// take takes in a table of entries and returns those that it cannot.
func (n *Notes) take(kind Kind, entries members) members {
	for name, raw := range entries {
		k, fine := parseKey(kind, name)
		e, whole := entry(raw)
		if fine && whole {
			n.entries[k] = e
			delete(entries, name)
		}
	}
	return entries
}

// entry reads one entry.
func entry(raw json.RawMessage) (e Entry, ok bool) {
	var all members
	if json.Unmarshal(raw, &all) != nil || all == nil {
		return e, false
	}
	var at time.Time
	if json.Unmarshal(all["text"], &e.Text) != nil || json.Unmarshal(all["at"], &at) != nil || len(e.Text) > MaxText {
		return e, false
	}
	if e.At = at.UTC(); e.At.Year() < 1 || e.At.Year() > 9000 { // a time that cannot be written again
		return e, false
	}
	delete(all, "text")
	delete(all, "at")
	if len(all) > 0 {
		e.more = all
	}
	return e, true
}

// parseKey reads "25", or "25/2" for the third message of a batch.
func parseKey(kind Kind, name string) (Key, bool) {
	frame, part, batch := strings.Cut(name, "/")
	n, err := strconv.ParseUint(frame, 10, 64)
	p, err2 := uint64(0), error(nil)
	if batch {
		p, err2 = strconv.ParseUint(part, 10, 16)
	}
	k := Key{kind, n, uint16(p)}
	return k, err == nil && err2 == nil && k.name() == name
}

func (k Key) name() string {
	name := strconv.FormatUint(k.Frame, 10)
	if k.Part > 0 {
		name += "/" + strconv.Itoa(int(k.Part))
	}
	return name
}

// Encode writes the file: the same notes give the same bytes.
func (n *Notes) Encode() ([]byte, error) {
	all := members{}
	maps.Copy(all, n.more)
	all[formatMember] = json.RawMessage(strconv.Itoa(Format))
	var by [kinds]members
	for i := range by {
		if by[i] = maps.Clone(n.odd[i]); by[i] == nil {
			by[i] = members{}
		}
	}
	for _, k := range n.keys() {
		raw, err := n.entries[k].encode()
		if err != nil {
			return nil, err
		}
		if k.Kind == Name {
			all["name"] = raw
			continue
		}
		by[k.Kind][k.name()] = raw
	}
	for kind, table := range tables {
		if table == "" || len(by[kind]) == 0 {
			continue
		}
		raw, err := marshal(by[kind])
		if err != nil {
			return nil, err
		}
		all[table] = raw
	}
	raw, err := marshal(all)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, raw, "", "  "); err != nil {
		return nil, fmt.Errorf("notes: %w", err)
	}
	return append(out.Bytes(), '\n'), nil
}

func (e Entry) encode() (json.RawMessage, error) {
	all := members{}
	maps.Copy(all, e.more)
	var err error
	if all["text"], err = marshal(e.Text); err != nil {
		return nil, err
	}
	if all["at"], err = marshal(e.At.UTC()); err != nil {
		return nil, err
	}
	return marshal(all)
}

// marshal is json.Marshal without the escapes for HTML.
func marshal(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("notes: %w", err)
	}
	return bytes.TrimSpace(b.Bytes()), nil
}
