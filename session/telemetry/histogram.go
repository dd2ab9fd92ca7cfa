package telemetry

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"midwire/session/safe"
	"midwire/session/semconv"
	"midwire/session/words"
)

// What peers choose is bounded: a server may have any number of tools, with names of
// megabytes. The rest is counted under other.
const (
	maxSeries = 200 // of a histogram
	maxLabel  = 80  // bytes of a value
	other     = "other"
)

// histogram is one of the conventions', in Prometheus' text format.
type histogram struct {
	name, help string // the name with dots
	labels     []string
	series     map[string]*series
}

type series struct {
	text    string // the labels
	buckets []uint64
	count   uint64
	sum     float64
}

// observe counts a duration. The values are those of labels, "" for none.
func (h *histogram) observe(seconds float64, values ...string) {
	text := h.text(values)
	s := h.series[text]
	if s == nil && len(h.series) >= maxSeries {
		for i, v := range values {
			if v != "" && h.labels[i] != semconv.Transport {
				values[i] = other
			}
		}
		text = h.text(values)
		s = h.series[text]
	}
	if s == nil {
		s = &series{text: text, buckets: make([]uint64, len(semconv.Buckets()))}
		h.series[text] = s
	}
	s.count++
	s.sum += seconds
	if i, _ := slices.BinarySearch(semconv.Buckets(), seconds); i < len(s.buckets) {
		s.buckets[i]++
	}
}

// text is a set of labels as it is printed, without the braces.
func (h *histogram) text(values []string) string {
	var all []string
	for i, v := range values {
		if v != "" {
			all = append(all, label(h.labels[i], v))
		}
	}
	return strings.Join(all, ",")
}

func (h *histogram) write(w io.Writer) {
	name := promName(h.name) + "_seconds"
	family(w, name, "histogram", h.help)
	for _, key := range sorted(h.series) {
		s, n := h.series[key], uint64(0)
		before := s.text
		if before != "" {
			before += ","
		}
		for i, bound := range semconv.Buckets() {
			n += s.buckets[i]
			fmt.Fprintf(w, "%s_bucket{%sle=\"%v\"} %d\n", name, before, bound, n)
		}
		fmt.Fprintf(w, "%s_bucket{%sle=\"+Inf\"} %d\n", name, before, s.count)
		fmt.Fprintf(w, "%s_sum%s %s\n", name, braced(s.text), strconv.FormatFloat(s.sum, 'g', -1, 64))
		fmt.Fprintf(w, "%s_count%s %d\n", name, braced(s.text), s.count)
	}
}

func family(w io.Writer, name, kind, help string) {
	fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

// promName is a name of OpenTelemetry as Prometheus has it.
func promName(name string) string { return strings.ReplaceAll(name, ".", "_") }

func braced(labels string) string {
	if labels == "" {
		return ""
	}
	return "{" + labels + "}"
}

var escapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// label is a label with its value, which may be hostile, and may be printed on a terminal.
func label(name, value string) string {
	if len(value) > maxLabel {
		value = words.Clip(value, maxLabel) + "…"
	}
	return promName(name) + `="` + escapes.Replace(string(safe.Whole(value))) + `"`
}
