package wire

import (
	"bytes"
	"strings"
)

// HeadFacts is what framing needs to know of a head. It is read without
// copying: its slices share memory with the head.
type HeadFacts struct {
	Method      string // of a request; one of the usual ones costs nothing
	Status      int    // of a response
	Coding      []byte // Transfer-Encoding; nil when absent. Of several the last
	Length      []byte // Content-Length; nil when absent
	ContentType []byte
	Encoding    []byte // Content-Encoding; nil when absent

	lengths bool // several lengths that differ
}

// usualMethods are those that need no new string.
var usualMethods = [...]string{"POST", "GET", "DELETE", "OPTIONS", "HEAD", "PUT", "PATCH", "CONNECT"}

// readFacts reads a whole head. It returns false when that has no start line.
func readFacts(raw []byte) (HeadFacts, bool) {
	var h HeadFacts
	line, rest := CutLine(raw)
	if !h.start(line) {
		return h, false
	}
	for len(rest) > 0 {
		line, rest = CutLine(rest)
		colon := bytes.IndexByte(line, ':')
		if colon < 0 {
			continue
		}
		// Most names differ from these in their length already.
		switch name := line[:colon]; colon {
		case len("Content-Type"):
			if equalFold(name, "Content-Type") && h.ContentType == nil {
				h.ContentType = value(line[colon+1:])
			}
		case len("Content-Length"):
			if equalFold(name, "Content-Length") {
				v := value(line[colon+1:])
				h.lengths = h.lengths || h.Length != nil && !bytes.Equal(h.Length, v)
				h.Length = v
			}
		case len("Content-Encoding"):
			if equalFold(name, "Content-Encoding") {
				h.Encoding = value(line[colon+1:])
			}
		case len("Transfer-Encoding"):
			if equalFold(name, "Transfer-Encoding") {
				h.Coding = value(line[colon+1:])
			}
		}
	}
	return h, true
}

// start reads the first line.
func (h *HeadFacts) start(line []byte) bool {
	first, other, _ := bytes.Cut(line, []byte(" "))
	if bytes.HasPrefix(first, []byte("HTTP/")) {
		if len(other) < 3 || len(other) > 3 && other[3] != ' ' {
			return false
		}
		for _, c := range other[:3] {
			if c < '0' || c > '9' {
				return false
			}
			h.Status = h.Status*10 + int(c-'0')
		}
		return true
	}
	i := bytes.LastIndexByte(other, ' ')
	if i < 0 || !bytes.HasPrefix(other[i+1:], []byte("HTTP/")) || len(first) == 0 {
		return false
	}
	for _, m := range usualMethods {
		if string(first) == m {
			h.Method = m
			return true
		}
	}
	h.Method = string(first)
	return true
}

// value is never nil.
func value(b []byte) []byte {
	b = bytes.Trim(b, " \t")
	if b == nil {
		return []byte{}
	}
	return b
}

func equalFold(name []byte, want string) bool {
	return len(name) == len(want) && strings.EqualFold(string(name), want)
}

func hasSuffixFold(b []byte, suffix string) bool {
	return len(b) >= len(suffix) && equalFold(b[len(b)-len(suffix):], suffix)
}
