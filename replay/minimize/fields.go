package minimize

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"midwire/replay"
)

// header is what the user gave, and empty for what is left out.
func (m *minimizer) header() http.Header {
	h := maps.Clone(m.opt.Header)
	if h == nil {
		h = http.Header{}
	}
	for _, name := range m.without {
		h[name] = []string{""}
	}
	return h
}

// mayLack are the fields of HTTP requests that may be left out: those that the failing request
// has, but for what the user gave, and what the protocol is about, which midwire probe varies.
func (m *minimizer) mayLack() (names []string) {
	if m.opt.URL == nil {
		return nil
	}
	head, _ := m.script.RequestHead(m.script.Calls[m.call].Step)
	for _, f := range head.Fields {
		own := replay.OwnField(f.Name) || replay.ProtocolField(f.Name) || replay.HasMask(f.Value) ||
			m.opt.Header.Get(f.Name) != ""
		if !own && !slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, f.Name) }) {
			names = append(names, f.Name)
		}
	}
	return names
}

// fields leaves out of all requests the fields that the failure does not need.
func (m *minimizer) fields() error {
	m.r.OfFields = len(m.names)
	if len(m.without) == len(m.names) {
		return nil // it was confirmed without them
	}
	lacks := func(left []string) []string {
		return slices.DeleteFunc(slices.Clone(m.names), func(name string) bool { return slices.Contains(left, name) })
	}
	fails := func(left []string) (bool, error) {
		if len(left) == len(m.names) {
			return true, nil
		}
		m.without = lacks(left)
		return m.try(m.others, m.params)
	}
	left, err := search(m.names, fails)
	if err == nil {
		left, err = shrink(left, fails)
	}
	m.without, m.r.Fields = lacks(left), left
	return err
}
