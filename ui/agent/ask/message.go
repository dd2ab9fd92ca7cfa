package ask

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"midwire/session/library"
	"midwire/session/wire"
	"midwire/session/words"
)

// Message asks for one frame.
type Message struct {
	Session string `json:"session" word:"arg" jsonschema:"the recording, or a session of it"`
	Frame   uint64 `json:"frame" word:"arg" jsonschema:"number of the frame"`
	Path    string `json:"path,omitempty" word:"--path" jsonschema:"jq program over the message, as .result.content[0].text"`
	Raw     bool   `json:"raw,omitempty" word:"--raw" jsonschema:"as on the wire, not laid out in lines"`
	Offset  int    `json:"offset,omitempty" word:"--offset" jsonschema:"byte of the text to begin at"`
	Max     int    `json:"max_bytes,omitempty" word:"--max-bytes" jsonschema:"how much text, default 6000, at most 12000"`
	Save    bool   `json:"save,omitempty" jsonschema:"write all of the text to a new file for you to read; its path is in the result"`
}

// MessageText is a frame, or a part of it.
type MessageText struct {
	Session  string   `json:"session"`
	Frame    uint64   `json:"frame"`
	Kind     string   `json:"kind"` // line, request, response, body, event, stderr, …
	Dir      string   `json:"direction,omitempty"`
	Seconds  float64  `json:"seconds"`
	Bytes    int      `json:"bytes"`            // of the frame on the wire
	Masked   bool     `json:"masked,omitempty"` // credentials in it are masked
	Row      *Line    `json:"message,omitempty"`
	Findings []string `json:"findings,omitempty"`
	Text     string   `json:"text" least:"64"`
	Offset   int      `json:"offset"` // of the text, in bytes
	Length   int      `json:"length"` // of all the text
	File     string   `json:"file,omitempty"`
	Leads

	ask Message
}

// Ask implements Question.
func (q Message) Ask(ctx context.Context, r *Recordings) (*MessageText, error) {
	at, err := r.find(q.Session)
	if err != nil {
		return nil, err
	}
	var m *MessageText
	err = r.use(ctx, at, func(o *opened) error {
		f, err := o.reader.Frame(q.Frame)
		if err != nil {
			return fmt.Errorf("frame %d: %s has frames 1 to %d. midwire_messages lists them", q.Frame, at.id, o.reader.Count())
		}
		m = &MessageText{
			Session: at.ref(), Frame: f.N, Kind: f.Kind.String(), Dir: direction(f.Dir), Seconds: seconds(f.T),
			Bytes: f.Len, Masked: f.Masked, ask: q,
		}
		if i := o.rec.RowAt(f.N); i >= 0 {
			l := o.line(i)
			m.Row = &l
		}
		for _, found := range o.rec.Findings.ByFrame[f.N] {
			m.Findings = append(m.Findings, found.Rule.ID)
		}
		return m.take(ctx, at, []byte(o.mask(string(library.Payload(o.rec.Tracker, &f)))))
	})
	return m, err
}

// take chooses the part of a payload, which is masked, that was asked for.
func (m *MessageText) take(ctx context.Context, at place, raw []byte) (err error) {
	text := string(raw)
	if m.ask.Path != "" {
		found, err := jq(ctx, m.ask.Path, raw)
		if err != nil {
			return err
		}
		text = found
	} else if pretty, ok := wire.Indent(raw, ""); ok && !m.ask.Raw {
		text = string(pretty)
	}
	if m.ask.Save {
		if m.File, err = save(at.id, m.Frame, text); err != nil {
			return err
		}
	}
	text = lines(text)
	m.Length = len(text)
	m.Offset = min(max(m.ask.Offset, 0), len(text))
	m.Text = words.Clip(text[m.Offset:], min(max(cmp.Or(m.ask.Max, 6000), 16), 12000))
	return nil
}

// save writes a text to a new file in the system's folder for such, readable by
// its owner alone.
func save(id string, n uint64, text string) (string, error) {
	f, err := os.CreateTemp("", fmt.Sprintf("midwire-%s-%d-*.txt", filepath.Base(id), n))
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	return f.Name(), errors.Join(err, f.Close())
}

func (m *MessageText) lead() {
	m.Next = nil
	if end := m.Offset + len(m.Text); end < m.Length {
		m.add(toolMessage, fmt.Sprintf("%d bytes more; path chooses a part, save writes a file", m.Length-end), again(m.ask, "offset", end))
	}
	if m.Row == nil {
		return
	}
	for _, n := range []uint64{m.Row.Frame, m.Row.Response} {
		if n != 0 && n != m.Frame {
			m.add(toolMessage, "the other half", map[string]any{"session": m.Session, "frame": n})
		}
	}
}

// Link implements Linked.
func (m *MessageText) Link() (session, what string) {
	return m.Session, "/frame/" + strconv.FormatUint(m.Frame, 10)
}
