package config

import (
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// lines says on which line each key of a document stands. Keys are the parts
// of their path with dots between them.
func lines(data []byte) map[string]int {
	w := walker{lines: map[string]int{}}
	w.p.Reset(data)
	var table []string
	for w.p.NextExpression() {
		switch e := w.p.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = w.path(nil, e)
		case unstable.KeyValue:
			w.value(table, e)
		}
	}
	return w.lines
}

type walker struct {
	p     unstable.Parser
	lines map[string]int
}

// path notes the key of a node, and of all that it is in.
func (w *walker) path(prefix []string, n *unstable.Node) []string {
	at := append([]string(nil), prefix...)
	for it := n.Key(); it.Next(); {
		k := it.Node()
		at = append(at, string(k.Data))
		if key := strings.Join(at, "."); w.lines[key] == 0 {
			w.lines[key] = w.p.Shape(k.Raw).Start.Line
		}
	}
	return at
}

func (w *walker) value(table []string, n *unstable.Node) {
	at := w.path(table, n)
	v := n.Value()
	if v.Kind != unstable.InlineTable {
		return
	}
	for it := v.Children(); it.Next(); {
		w.value(at, it.Node())
	}
}
