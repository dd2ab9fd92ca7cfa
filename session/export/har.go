package export

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"midwire/session/wire"
)

// harBody is how much of a body is exported: streams have no end, and all that
// are open are in memory.
const harBody = 1 << 20

const harComment = "Made by midwire. Entries are in the order in which they ended."

// harPageID is the one page of an archive, the recording: readers ask for pages.
const harPageID = "recording"

// The parts of HAR 1.2 that are used.
type (
	harPair struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	harPost struct {
		MimeType string    `json:"mimeType"`
		Params   []harPair `json:"params"`
		Text     string    `json:"text"`
		Encoding string    `json:"_encoding,omitempty"`
		Comment  string    `json:"comment,omitempty"`
	}
	harContent struct {
		Size     int    `json:"size"`
		MimeType string `json:"mimeType"`
		Text     string `json:"text"`
		Encoding string `json:"encoding,omitempty"`
		Comment  string `json:"comment,omitempty"`
	}
	harRequest struct {
		Method      string    `json:"method"`
		URL         string    `json:"url"`
		HTTPVersion string    `json:"httpVersion"`
		Cookies     []harPair `json:"cookies"`
		Headers     []harPair `json:"headers"`
		QueryString []harPair `json:"queryString"`
		PostData    *harPost  `json:"postData,omitempty"`
		HeadersSize int       `json:"headersSize"`
		BodySize    int       `json:"bodySize"`
	}
	harResponse struct {
		Status      int        `json:"status"`
		StatusText  string     `json:"statusText"`
		HTTPVersion string     `json:"httpVersion"`
		Cookies     []harPair  `json:"cookies"`
		Headers     []harPair  `json:"headers"`
		Content     harContent `json:"content"`
		RedirectURL string     `json:"redirectURL"`
		HeadersSize int        `json:"headersSize"`
		BodySize    int        `json:"bodySize"`
	}
	harTimings struct {
		Send    float64 `json:"send"`
		Wait    float64 `json:"wait"`
		Receive float64 `json:"receive"`
	}
	harPage struct {
		Started string         `json:"startedDateTime"`
		ID      string         `json:"id"`
		Title   string         `json:"title"`
		Timings map[string]int `json:"pageTimings"`
	}
	harEntry struct {
		Page     string      `json:"pageref"`
		Started  string      `json:"startedDateTime"`
		Time     float64     `json:"time"`
		Request  harRequest  `json:"request"`
		Response harResponse `json:"response"`
		Cache    struct{}    `json:"cache"`
		Timings  harTimings  `json:"timings"`
		Conn     string      `json:"connection,omitempty"`
		Comment  string      `json:"comment,omitempty"`
	}
)

// writeHAR writes an HTTP archive that the network panels of browsers load.
func writeHAR(w io.Writer, s *Source) error {
	h := har{list: list{brief: brief{w: w}}, s: s, open: map[uint32]*harExchange{}}
	creator, _ := json.Marshal(map[string]string{"name": "midwire", "version": cmp.Or(s.Version, "devel")})
	note, _ := json.Marshal(harComment + " " + s.summary())
	page, _ := json.Marshal([]harPage{{harTime(s.timeOf(0)), harPageID, text(s.summary()), map[string]int{}}})
	h.write(`{"log":{"version":"1.2","creator":`, string(creator), `,"comment":`, escapeHarm(string(note)),
		`,"pages":`, escapeHarm(string(page)), `,"entries":[`)
	for f := range s.frames {
		if h.frame(f); h.err != nil {
			return h.err
		}
	}
	for _, x := range slices.Sorted(maps.Keys(h.open)) {
		h.end(h.open[x], "still open when the recording ended")
	}
	h.write("\n]}}\n")
	return h.err
}

type har struct {
	list
	s    *Source
	open map[uint32]*harExchange
}

// list writes the elements of a JSON array.
type list struct {
	brief
	some bool
}

func (l *list) add(v any) {
	b, err := json.Marshal(v)
	if err != nil {
		l.err = cmp.Or(l.err, err)
		return
	}
	if l.some {
		l.write(",")
	}
	l.some = true
	l.write("\n", escapeHarm(string(b)))
}

// harExchange is an exchange that has not ended.
type harExchange struct {
	conn               uint32
	start, asked, head int64 // request began, request was complete, response began
	last               int64
	request, response  []byte // raw heads
	in, out            harBytes
}

// harBytes is a body as far as it is kept.
type harBytes struct {
	data []byte
	size int
}

func (b *harBytes) add(f *wire.Frame) {
	b.size += f.Len
	b.data = append(b.data, f.Data[:min(len(f.Data), harBody-len(b.data))]...)
}

func (h *har) frame(f *wire.Frame) {
	x := h.open[f.X]
	if f.Kind == wire.KindRequest {
		h.open[f.X] = &harExchange{conn: f.Conn, start: f.T, asked: f.T, last: f.T, request: slices.Clone(f.Data)}
		return
	}
	if x == nil || f.X == 0 {
		return
	}
	x.last = f.T
	switch f.Kind {
	case wire.KindResponse:
		if head, ok := wire.ParseHead(f.Data); ok && (head.Status >= 200 || head.Status == 101) {
			x.head, x.response = f.T, slices.Clone(f.Data)
		}
	case wire.KindBody, wire.KindEvent:
		if f.Dir == wire.ToServer {
			x.asked = f.T
			x.in.add(f)
		} else {
			x.out.add(f)
		}
	case wire.KindClose:
		delete(h.open, f.X)
		comment := ""
		if string(wire.Get(f.Data, "clean")) != "true" {
			comment = "cut off by the " + wire.Text(wire.Get(f.Data, "by")) + " " + wire.Text(wire.Get(f.Data, "error"))
		}
		h.end(x, strings.TrimSpace(comment))
	}
}

// end writes the entry of an exchange.
func (h *har) end(x *harExchange, comment string) {
	head, _ := wire.ParseHead(x.request)
	response, _ := wire.ParseHead(x.response)
	target := h.s.origin(x.conn) + requestPath(head.Target)
	e := harEntry{Page: harPageID, Started: harTime(h.s.timeOf(x.start)), Comment: comment}
	if x.conn != 0 {
		e.Conn = jsonNumber(int64(x.conn))
	}
	e.Request = harRequest{
		Method: text(head.Method), URL: text(target), HTTPVersion: text(head.Proto),
		Cookies: []harPair{}, Headers: harFields(&head), QueryString: harQuery(target),
		HeadersSize: len(x.request), BodySize: x.in.size,
	}
	if len(x.in.data) > 0 {
		c := h.content(&head, &x.in)
		e.Request.PostData = &harPost{c.MimeType, []harPair{}, c.Text, c.Encoding, c.Comment}
	}
	e.Response = harResponse{
		Status: response.Status, StatusText: text(response.Reason), HTTPVersion: cmp.Or(text(response.Proto), "HTTP/1.1"),
		Cookies: []harPair{}, Headers: harFields(&response),
		Content: h.content(&response, &x.out), RedirectURL: text(response.Get("Location")),
		HeadersSize: len(x.response), BodySize: x.out.size,
	}
	x.head = cmp.Or(x.head, x.last)
	e.Timings = harTimings{Send: ms(x.asked - x.start), Wait: ms(x.head - x.asked), Receive: ms(x.last - x.head)}
	e.Time = ms(max(x.last, x.asked) - x.start)
	h.add(e)
}

// content is a body as an archive has it: decompressed, in base64 when it is
// no text.
func (h *har) content(head *wire.Head, b *harBytes) harContent {
	c := harContent{MimeType: cmp.Or(text(head.Get("Content-Type")), "application/octet-stream")}
	if len(b.data) == 0 {
		c.MimeType = cmp.Or(text(head.Get("Content-Type")), "x-unknown")
		return c
	}
	body, ok := h.s.body(head, b.data)
	if !ok {
		c.Comment = "compressed in a way that midwire cannot read"
	}
	cut := len(b.data) < b.size && len(b.data) == harBody
	if len(body) > harBody {
		body, cut = body[:harBody], true
	}
	if cut {
		c.Comment = "cut: the first MiB of it"
		body = strings.TrimRightFunc(body, func(r rune) bool { return r == utf8.RuneError })
	}
	c.Size, c.Text = len(body), body
	if !utf8.ValidString(body) {
		c.Text, c.Encoding = base64.StdEncoding.EncodeToString([]byte(body)), "base64"
	}
	return c
}

func harFields(h *wire.Head) []harPair {
	all := []harPair{}
	for _, f := range h.Fields {
		all = append(all, harPair{text(f.Name), text(f.Value)})
	}
	return all
}

func harQuery(target string) []harPair {
	all := []harPair{}
	_, query, _ := strings.Cut(target, "?")
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if name != "" {
			all = append(all, harPair{text(unescape(name)), text(unescape(value))})
		}
	}
	return all
}

func unescape(s string) string {
	if plain, err := url.QueryUnescape(s); err == nil {
		return plain
	}
	return s
}

// text is a string that JSON can hold.
func text(s string) string { return strings.ToValidUTF8(s, "\ufffd") }

func harTime(t time.Time) string { return t.Format("2006-01-02T15:04:05.000000Z07:00") }

// ms is a time in milliseconds, as exact as browsers say it.
func ms(ns int64) float64 { return float64(max(ns, 0)/1e3) / 1e3 }
