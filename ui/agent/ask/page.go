package ask

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/itchyny/gojq"

	"midwire/session/export"
	"midwire/session/safe"
	"midwire/session/words"
)

//go:embed markdown.jq
var template string

// said are what the template asks of midwire: how it writes a text, a number or a time.
var said = map[string]func(in any, n int) any{
	"line":     func(in any, n int) any { return words.Line(fmt.Sprint(in), n) },
	"ellipsis": func(in any, n int) any { return words.Ellipsis(fmt.Sprint(in), n) },
	"fixed":    func(in any, _ int) any { return fmt.Sprintf("%.3f", number(in)) },
	"size":     func(in any, _ int) any { return words.Size(int(number(in))) },
	"took":     func(in any, _ int) any { return export.Duration(int64(number(in) * float64(time.Millisecond))) },
	"moment": func(in any, _ int) any {
		t, _ := time.Parse(time.RFC3339Nano, fmt.Sprint(in))
		return t.UTC().Format("2006-01-02 15:04:05Z")
	},
}

func number(v any) float64 {
	if n, ok := v.(int); ok {
		return float64(n)
	}
	f, _ := v.(float64)
	return f
}

// pages are the templates of results that were needed, by the names of their types.
var pages sync.Map

// page is the template of a result. A mistake in one is seen by the tests.
func page(name string) *gojq.Code {
	if code, ok := pages.Load(name); ok {
		return code.(*gojq.Code)
	}
	var options []gojq.CompilerOption
	for function, write := range said {
		options = append(options, gojq.WithFunction(function, 0, 1, func(in any, args []any) any {
			n := 0
			if len(args) > 0 {
				n = int(number(args[0]))
			}
			return write(in, n)
		}))
	}
	q, err := gojq.Parse(template + "\n" + name)
	if err != nil {
		panic(err)
	}
	code, err := gojq.Compile(q, options...)
	if err != nil {
		panic(err)
	}
	pages.Store(name, code)
	return code
}

// unwritten stands where the template fails. What jq says of it may quote a peer.
const unwritten = "The rest of this cannot be written for people: the JSON has it."

func typeName(r Result) string { return reflect.TypeOf(r).Elem().Name() }

// Markdown is a result for people and models, as the template has it from its JSON. The
// calls that lead on are commands of a shell, or else of tools.
func Markdown(out Result, shell bool) string {
	var p strings.Builder
	raw, _ := json.Marshal(out) // as it goes over the wire
	var value any
	_ = json.Unmarshal(raw, &value)
	for results, failed := page(typeName(out)).Run(value), false; !failed; {
		line, more := results.Next()
		if !more {
			break
		}
		if _, failed = line.(error); failed {
			line = unwritten
		}
		fmt.Fprintln(&p, line)
	}
	for i, c := range out.next() {
		lead, why := "\nNext: ", ""
		if i > 0 {
			lead = "Or: "
		}
		if c.Why != "" {
			why = " (" + c.Why + ")"
		}
		fmt.Fprintf(&p, "%s`%s`%s\n", lead, safe.Clean(strings.ReplaceAll(c.text(shell), "`", "'")), why)
	}
	return p.String()
}
