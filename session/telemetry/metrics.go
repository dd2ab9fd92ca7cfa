package telemetry

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"sync"

	"midwire/session"
	"midwire/session/export"
	"midwire/session/mcp"
	"midwire/session/record"
	"midwire/session/semconv"
	"midwire/session/wire"
)

// Metrics counts what recordings hold, for Prometheus. It is served at any path:
// who may ask, its caller decides.
type Metrics struct {
	Version string
	Options record.Options
	Sender  *Sender // whose spans are counted too, nil for none

	mu         sync.Mutex // guards the rest
	histograms []*histogram
	frames     map[string]uint64 // by labels
	bytes      map[string]uint64
	lostFrames int64
	lostBytes  int64
}

var (
	ofOperation = []string{
		semconv.Method, semconv.ToolName, semconv.PromptName, semconv.ErrorType, semconv.StatusCode,
		semconv.Transport, semconv.ProtocolVersion,
	}
	ofSession = []string{semconv.ErrorType, semconv.Transport, semconv.ProtocolVersion}
)

// The histograms, as Metrics has them.
const (
	clientOperation = iota
	serverOperation
	clientSession
	serverSession
)

// start makes what is empty. The lock is held.
func (m *Metrics) start() {
	if m.histograms != nil {
		return
	}
	for _, h := range []histogram{
		{semconv.ClientOperation, "Requests, from when they passed the proxy until their response did, as their sender sees them.", ofOperation, nil},
		{semconv.ServerOperation, "The same times, with the errors that are their receiver's.", ofOperation, nil},
		{semconv.ClientSession, "Sessions that have ended, as their client sees them.", ofSession, nil},
		{semconv.ServerSession, "Sessions that have ended, as their server sees them.", ofSession, nil},
	} {
		h.series = map[string]*series{}
		m.histograms = append(m.histograms, &h)
	}
	m.frames, m.bytes = map[string]uint64{}, map[string]uint64{}
}

// Read counts a recording, until it has ended or ctx has.
func (m *Metrics) Read(ctx context.Context, hurry <-chan struct{}, path string) error {
	m.mu.Lock()
	m.start()
	m.mu.Unlock()
	r := &counting{Metrics: m}
	r.walk = &walk{
		path: path, version: m.Version, options: m.Options, hurry: hurry,
		begin: func(record.Header) {}, frame: r.frame, over: r.ended,
		idle: func() error { return nil }, end: func() error { return nil },
	}
	return r.walk.run(ctx)
}

// counting is the counting of one recording.
type counting struct {
	*Metrics
	walk *walk
}

func (r *counting) frame(f *wire.Frame) {
	r.mu.Lock()
	defer r.mu.Unlock()
	direction := map[wire.Dir]string{wire.ToServer: "to_server", wire.ToClient: "to_client"}[f.Dir]
	labels := label("kind", f.Kind.String())
	if direction != "" {
		labels += "," + label("direction", direction)
		r.bytes[label("direction", direction)] += uint64(max(f.Len, 0))
	}
	r.frames[labels]++
	if f.Kind == wire.KindGap {
		var gap wire.Gap
		_ = json.Unmarshal(f.Data, &gap)
		r.lostFrames, r.lostBytes = r.lostFrames+max(gap.Frames, 0), r.lostBytes+max(gap.Bytes, 0)
	}
}

// ended counts what is over. A recording of one side of a hub has that side's times only.
func (r *counting) ended(_ uint64, e ended) error {
	side, row := r.walk.header.Side, (*session.Row)(nil)
	var method, name string
	if e.row >= 0 {
		if row = e.live.Tracker.Row(e.row); row.Kind != session.RowCall {
			return nil // nothing says when a notification has arrived
		}
		method, name = e.live.Spans.Target(e.row)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	transport, version := transportOf(e.session)
	if row == nil {
		took, failed := seconds(e.session.Last-e.session.Started), ""
		if s := e.session.State; s == session.StateFailed || s == session.StateLost {
			failed = s.String()
		}
		labels := []string{failed, transport, version}
		r.observeBoth(side, clientSession, took, labels, labels)
		return nil
	}
	took := row.Latency()
	if row.End == 0 && e.session != nil {
		took = max(0, e.session.Last-row.T)
	}
	tool, prompt, status := name, "", ""
	if method != mcp.ToolsCall {
		tool, prompt = "", name
	}
	kind := export.ErrorType(row)
	own := kind
	if row.Code != 0 {
		status = kind
	}
	if semconv.RefusedByReceiver(row.Code) {
		own = ""
	}
	r.observeBoth(side, clientOperation, seconds(took),
		[]string{method, tool, prompt, kind, status, transport, version},
		[]string{method, tool, prompt, own, status, transport, version})
	return nil
}

func (m *Metrics) observeBoth(side string, first int, took float64, client, server []string) {
	if side != "server" {
		m.histograms[first].observe(took, client...)
	}
	if side != "client" {
		m.histograms[first+1].observe(took, server...)
	}
}

func transportOf(s *session.Session) (transport, version string) {
	if s == nil {
		return "", ""
	}
	if transport = semconv.TransportTCP; s.Transport == session.TransportStdio {
		transport = semconv.TransportPipe
	}
	return transport, string(s.ProtocolVersion)
}

func seconds(ns int64) float64 { return float64(max(ns, 0)) / 1e9 }

// ServeHTTP answers with all there is, in the text format of Prometheus, 0.0.4.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	var b bytes.Buffer
	m.write(&b)
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(b.Bytes())
}

func (m *Metrics) write(w io.Writer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.start()
	family(w, "midwire_build_info", "gauge", "The version of midwire.")
	fmt.Fprintf(w, "midwire_build_info{%s,%s} 1\n", label("version", m.Version), label("conventions", semconv.Schema))
	for _, h := range m.histograms {
		h.write(w)
	}
	counters(w, "midwire_frames_total", "counter", "Frames recorded.", m.frames)
	counters(w, "midwire_bytes_total", "counter", "Bytes of frames, on the wire.", m.bytes)
	counters(w, "midwire_lost_frames_total", "counter", "Frames that were forwarded and not recorded.", map[string]int64{"": m.lostFrames})
	counters(w, "midwire_lost_bytes_total", "counter", "Bytes that were forwarded and not recorded.", map[string]int64{"": m.lostBytes})
	if s := m.Sender; s != nil {
		counters(w, "midwire_otlp_spans_total", "counter", "Spans sent, by what the collector did with them.", map[string]int64{
			label("outcome", "taken"): s.Sent.Load(), label("outcome", "refused"): s.Refused.Load(),
		})
		counters(w, "midwire_otlp_retries_total", "counter", "Requests that the collector did not take and that were sent again.",
			map[string]int64{"": s.Retried.Load()})
	}
}

// counters writes a family, sorted by its labels.
func counters[N int | int64 | uint64](w io.Writer, name, kind, help string, all map[string]N) {
	family(w, name, kind, help)
	for _, labels := range sorted(all) {
		fmt.Fprintf(w, "%s%s %d\n", name, braced(labels), all[labels])
	}
}

func sorted[V any](all map[string]V) []string {
	return slices.SortedFunc(maps.Keys(all), cmp.Compare[string])
}
