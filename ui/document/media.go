package document

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"strings"
	"unicode/utf8"

	"midwire/session/safe"
	"midwire/session/words"
	"midwire/ui/term"
)

// Media is base64 of a known type.
type Media struct {
	mime string
	Code []byte // base64, standard or for URLs
	Size int    // bytes that it stands for
}

// maxHeader is how much of an image is looked at for its size: pictures of
// cameras have a small one inside before it.
const maxHeader = 256 << 10

// readMedia recognises the content of a JSON string as base64.
func readMedia(mime string, code []byte) (Media, bool) {
	body := bytes.TrimRight(code, "=")
	pad := len(code) - len(body)
	if len(body) < 4 || pad > 2 || len(body)%4 == 1 || pad > 0 && len(code)%4 != 0 {
		return Media{}, false
	}
	for _, c := range body {
		if !base64Letters[c] {
			return Media{}, false
		}
	}
	return Media{mime: words.Fold(mime), Code: body, Size: len(body) * 3 / 4}, true
}

var base64Letters = func() (is [256]bool) {
	for _, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_" {
		is[c] = true
	}
	return is
}()

// Decoded is the first n bytes, or fewer when there are no more.
func (m Media) Decoded(n int) []byte {
	code := m.Code[:min(len(m.Code), n/3*4)]
	enc := base64.RawStdEncoding
	if bytes.ContainsAny(m.Code, "-_") {
		enc = base64.RawURLEncoding
	}
	out := make([]byte, enc.DecodedLen(len(code)))
	k, _ := enc.Decode(out, code) // letters of both alphabets: as far as it goes
	return out[:k]
}

// words say what it is: image/png 800x600, 12.3k.
func (m Media) words() safe.Text {
	t := safe.Line(m.mime)
	if m.mime == "" {
		t = "bytes of no declared type"
	}
	head := m.Decoded(maxHeader)
	kind, w, h := picture(head)
	if kind != "" && m.mime != "" && m.mime != "image/"+kind && m.mime != "image/*" {
		t += " (the bytes are " + safe.Line(strings.ToUpper(kind)) + ")"
	}
	if w > 0 && h > 0 {
		t += " " + safe.Int(w) + "x" + safe.Int(h)
	}
	return t + ", " + term.Bytes(m.Size) + " in base64"
}

// Base64 says in words what a JSON string with base64 of a type stands for.
func Base64(mime string, raw []byte) safe.Text {
	if len(raw) > 2 {
		if m, ok := readMedia(mime, raw[1:len(raw)-1]); ok {
			return m.words()
		}
	}
	return safe.Line(mime) + ", no base64"
}

// textual says whether it is text, which can be shown.
func (m Media) textual() bool {
	base, _, _ := strings.Cut(m.mime, ";")
	base = strings.TrimSpace(base)
	switch {
	case strings.HasPrefix(base, "text/"), strings.HasSuffix(base, "+json"), strings.HasSuffix(base, "+xml"):
	case base == "application/json", base == "application/xml", base == "application/yaml", base == "application/javascript", base == "application/toml":
	default:
		return false
	}
	head := m.Decoded(4 << 10)
	return utf8.Valid(head[:max(0, len(head)-utf8.UTFMax)])
}

// Ending is what the name of a file with it should end in.
func (m Media) Ending() string {
	if kind, _, _ := picture(m.Decoded(32)); kind != "" {
		return strings.Replace(kind, "jpeg", "jpg", 1)
	}
	base, _, _ := strings.Cut(m.mime, ";")
	switch base = strings.TrimSpace(base); base {
	case "audio/mpeg":
		return "mp3"
	case "audio/wav", "audio/x-wav", "audio/wave":
		return "wav"
	case "image/webp", "image/bmp", "audio/ogg", "audio/flac", "video/mp4", "application/pdf", "application/zip", "application/json", "text/html", "text/css", "text/csv":
		_, kind, _ := strings.Cut(base, "/")
		return kind
	case "image/svg+xml":
		return "svg"
	}
	if m.textual() {
		return "txt"
	}
	return "bin"
}

// picture reads type and size of an image in one of three formats. The size is
// 0 when it cannot be told.
func picture(b []byte) (kind string, w, h int) {
	switch {
	case bytes.HasPrefix(b, []byte("\x89PNG\r\n\x1a\n")):
		if len(b) >= 24 && string(b[12:16]) == "IHDR" {
			w, h = int(binary.BigEndian.Uint32(b[16:])), int(binary.BigEndian.Uint32(b[20:]))
		}
		return "png", w, h
	case bytes.HasPrefix(b, []byte("GIF87a")), bytes.HasPrefix(b, []byte("GIF89a")):
		if len(b) >= 10 {
			w, h = int(binary.LittleEndian.Uint16(b[6:])), int(binary.LittleEndian.Uint16(b[8:]))
		}
		return "gif", w, h
	case bytes.HasPrefix(b, []byte("\xff\xd8\xff")):
		w, h = jpegSize(b)
		return "jpeg", w, h
	}
	return "", 0, 0
}

// jpegSize goes from segment to segment to the one that begins the frame
// (ITU T.81 B.1.1.3, B.2.2).
func jpegSize(b []byte) (w, h int) {
	for i := 2; i+9 <= len(b); {
		if b[i] != 0xff {
			return 0, 0
		}
		switch c := b[i+1]; {
		case c == 0xff: // fill
			i++
		case c >= 0xc0 && c <= 0xcf && c != 0xc4 && c != 0xc8 && c != 0xcc:
			return int(binary.BigEndian.Uint16(b[i+7:])), int(binary.BigEndian.Uint16(b[i+5:]))
		case c == 0x01 || c >= 0xd0 && c <= 0xd8:
			i += 2
		default:
			i += 2 + int(binary.BigEndian.Uint16(b[i+2:]))
		}
	}
	return 0, 0
}
