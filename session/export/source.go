package export

import (
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/encoding"
	auth "midwire/session/oauth"
	"midwire/session/wire"
	"midwire/session/words"
)

// Source is a recording to be exported. What must not be given away is masked
// in all of it, by its maker.
type Source struct {
	Recording
	Command []string // of a server on stdio
	Target  string   // of one on HTTP: its URL
	Version string   // of midwire

	// Frames are all frames, in order; it is ranged over several times. A frame
	// is valid until the next.
	Frames iter.Seq[*wire.Frame]
	Load   Load
	// Clean masks what could not be masked in a frame: texts that came
	// compressed. Nil changes nothing.
	Clean    func(string) string
	Findings []*diagnose.Finding
	Verdicts []diagnose.Verdict // of the sessions; nil for none
	Logins   []auth.Flow        // of the whole recording; nil for none
	Session  int                // export this session alone, from 1; 0: all of them

	tracker  *session.Tracker
	live     bool   // spans are sent while it is read
	part     string // see NewSpans
	traces   bool   // contexts are wanted
	contexts contexts
	budget   encoding.Budget // for decoding bodies by themselves
	// With Session set only: the session of each frame in order and of each
	// HTTP exchange, -1 for none.
	owners    []int32
	exchanges map[uint32]int32

	origins origins
}

// Format is a way to export.
type Format struct {
	Name   string // as in --to
	Ending string // of the name of a file
	HTTP   bool   // it is for HTTP exchanges alone
	write  func(io.Writer, *Source) error
}

// All returns the formats, in the order in which they are offered.
func All() []Format {
	return []Format{
		{"har", ".har", true, writeHAR},
		{"html", ".html", false, writeHTML},
		{"mermaid", ".mmd", false, writeMermaid},
		{"curl", ".curl", true, writeCurl},
		{"text", ".txt", false, writeText},
		{"otlp", ".otlp.json", false, writeOTLP},
	}
}

// Find returns the format of a name, false when there is none.
func Find(name string) (Format, bool) {
	for _, f := range All() {
		if f.Name == name {
			return f, true
		}
	}
	return Format{}, false
}

// ForFile returns the name of the format that a file's name asks for, "" when
// it asks for none.
func ForFile(file string) string {
	file = words.Fold(file)
	for _, f := range All() {
		if strings.HasSuffix(file, f.Ending) || strings.HasSuffix(file, "."+f.Name) {
			return f.Name
		}
	}
	if strings.HasSuffix(file, ".htm") {
		return "html"
	}
	return ""
}

// Formats are the names that Write knows.
func Formats() []string { return FormatsOf("http") }

// FormatsOf are those of Formats that a recording of a proxy, "stdio" or "http", can have.
func FormatsOf(tap string) (names []string) {
	for _, f := range All() {
		if !f.HTTP || tap == "http" {
			names = append(names, f.Name)
		}
	}
	return names
}

// Write writes a recording in one of the Formats. Memory does not grow with
// the payloads of the recording. The error is that of w.
func Write(w io.Writer, format string, s *Source) error {
	f, ok := Find(format)
	if !ok {
		return fmt.Errorf("no format %q: %s", format, strings.Join(Formats(), ", "))
	}
	if !slices.Contains(FormatsOf(s.Tap), format) {
		return fmt.Errorf("%s is for HTTP, and this recording is of stdio: --to text has all of it", format)
	}
	s.Load, s.traces = s.Load.recent(), format == "otlp"
	s.read()
	return f.write(w, s)
}

// read plays the frames through its own tracker.
func (s *Source) read() {
	s.tracker = session.New(session.Options{Tap: s.Tap})
	s.owners, s.exchanges = nil, map[uint32]int32{}
	s.origins, s.contexts = origins{}, contexts{}
	for f := range s.Frames {
		s.origins.take(f)
		step := s.tracker.Apply(f)
		if s.traces {
			s.contexts.take(s, f, step)
		}
		if s.Session == 0 {
			continue
		}
		s.owners = append(s.owners, int32(step.Session))
		if step.Session >= 0 && f.Conn != 0 {
			s.exchanges[f.X] = int32(step.Session)
		}
	}
}

// frames are those of the session that is exported.
func (s *Source) frames(yield func(*wire.Frame) bool) {
	i := -1
	for f := range s.Frames {
		if i++; s.Session != 0 && (i >= len(s.owners) || !s.owns(f, s.owners[i])) {
			continue
		}
		if !yield(f) {
			return
		}
	}
}

func (s *Source) owns(f *wire.Frame, owner int32) bool {
	if of, ok := s.exchanges[f.X]; ok && owner < 0 && f.X != 0 {
		owner = of
	}
	return owner == int32(s.Session-1)
}

// sessions are those that are exported.
func (s *Source) sessions() []*session.Session {
	all := s.tracker.Sessions()
	if s.Session == 0 {
		return all
	}
	return all[min(s.Session-1, len(all)):min(s.Session, len(all))]
}

// wants reports whether a row is exported.
func (s *Source) wants(r *session.Row) bool {
	return s.Session == 0 || int(r.Session) == s.Session-1
}

// findings are those of the sessions that are exported, and those about none.
func (s *Source) findings() []*diagnose.Finding {
	if s.Session == 0 {
		return s.Findings
	}
	return slices.DeleteFunc(slices.Clone(s.Findings), func(f *diagnose.Finding) bool {
		return f.Session >= 0 && f.Session != s.Session-1
	})
}

func (s *Source) clean(text string) string {
	if s.Clean == nil {
		return text
	}
	return s.Clean(text)
}

// named is clean for a name that the tracker has; in a file it has been through that.
func (s *Source) named(name string) string {
	if s.live {
		return s.clean(name)
	}
	return name
}

// body undoes the compression of a body, and masks what came to light. False
// means that the body cannot be read.
func (s *Source) body(h *wire.Head, raw []byte) (string, bool) {
	coding := h.Get("Content-Encoding")
	if coding == "" {
		return string(raw), true
	}
	plain, ok := s.budget.Decode(encoding.Parse(coding), raw)
	if !ok {
		return "", len(raw) == 0
	}
	return s.clean(string(plain)), true
}

// message is a message of a frame, masked; "" when there is none.
func (s *Source) message(n uint64, batch uint16) string {
	if n == 0 {
		return ""
	}
	f := s.Load(n)
	if f == nil {
		return ""
	}
	payload := s.tracker.Payload(f)
	if wire.IsArray(payload) {
		m, _ := s.tracker.Message(f, batch)
		payload = m.Raw
	}
	return s.clean(string(payload))
}

// timeOf is a moment of the recording as a time of day.
func (s *Source) timeOf(t int64) time.Time { return s.Started.Add(time.Duration(t)).UTC() }

// words returns a row's request and its outcome, made safe.
func (s *Source) words(r *session.Row) (target, result string) {
	target, result = s.Load.words(s.tracker, r)
	return s.clean(target), s.clean(result)
}

// selectRows picks the rows to export when there are more than fit: the first and
// the last ones. skipped is how many lie between.
func (s *Source) selectRows(first, last int) (rows []int, gap, skipped int) {
	var tail []int
	total := 0
	for i := range s.tracker.Rows() {
		if !s.wants(s.tracker.Row(i)) {
			continue
		}
		if total++; len(rows) < first {
			rows = append(rows, i)
			continue
		}
		if tail = append(tail, i); len(tail) >= 2*last+1 {
			tail = slices.Delete(tail, 0, len(tail)-last)
		}
	}
	tail = tail[max(0, len(tail)-last):]
	gap = len(rows)
	rows = append(rows, tail...)
	return rows, gap, total - len(rows)
}

// brief writes to w until that fails, and remembers why.
type brief struct {
	w   io.Writer
	err error
}

func (b *brief) write(parts ...string) bool {
	for _, p := range parts {
		if b.err == nil {
			_, b.err = io.WriteString(b.w, p)
		}
	}
	return b.err == nil
}

// summary is the recording in a line.
func (s *Source) summary() string {
	what := s.Target
	if len(s.Command) > 0 {
		what = strings.Join(s.Command, " ")
	}
	parts := []string{"recording " + s.ID, s.Label, what, s.Started.UTC().Format(time.RFC3339)}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), " · ")
}
