package ask

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"midwire/session/export"
)

// The names of the tools.
const (
	toolSessions = "midwire_sessions"
	toolDiagnose = "midwire_diagnose"
	toolExplain  = "midwire_explain"
	toolMessages = "midwire_messages"
	toolMessage  = "midwire_message"
	toolSearch   = "midwire_search"
	toolWait     = "midwire_wait"
	toolCompare  = "midwire_compare"
	toolTools    = "midwire_tools"
	toolReplay   = "midwire_replay"
)

// Call is a call that leads on: of a tool, or of its twin on the command line.
type Call struct {
	Tool      string         `json:"tool"`
	Arguments map[string]any `json:"arguments"`
	Why       string         `json:"why,omitempty"`
}

// Leads are the calls that lead on from a result.
type Leads struct {
	Next []Call `json:"next,omitempty"`
}

func (l *Leads) next() []Call { return l.Next }

func (l *Leads) add(tool, why string, args map[string]any) {
	l.Next = append(l.Next, Call{tool, args, why})
}

// restart forgets the calls, and leads to the page behind one that ends at n of
// total.
func (l *Leads) restart(tool string, q any, n, total int) {
	if l.Next = nil; n < total {
		l.add(tool, fmt.Sprintf("%d more", total-n), again(q, "cursor", strconv.Itoa(n)))
	}
}

// again are the arguments of a question to be asked once more, with changes: names
// and values in turn.
func again(q any, changes ...any) map[string]any {
	raw, _ := json.Marshal(q)
	var args map[string]any
	_ = json.Unmarshal(raw, &args)
	delete(args, "around")
	delete(args, "save")
	for i := 0; i+1 < len(changes); i += 2 {
		args[changes[i].(string)] = changes[i+1]
	}
	return args
}

// window is the part of n things that a page has: from a cursor on, and at most
// most; usual if no limit is given.
func window(n int, cursor string, limit, usual, most int) (from, to int, err error) {
	if cursor != "" {
		if from, err = strconv.Atoi(cursor); err != nil || from < 0 {
			return 0, 0, mistakef("cursor %q: take it from next of the page before, or leave it out for the first page", cursor)
		}
	}
	return min(from, n), min(from+bounded(limit, usual, most), n), nil
}

// bounded is a number from 1 to most, and usual for 0.
func bounded(n, usual, most int) int {
	if n == 0 {
		n = usual
	}
	return min(max(n, 1), most)
}

// moment reads how long ago or when; nothing is the beginning of time.
func moment(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if d, err := time.ParseDuration(text); err == nil {
		return time.Now().Add(-d), nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return t, mistakef("since %q: write 10m, 2h or 2026-11-21T10:15:00Z", text)
	}
	return t, nil
}

// Mistake is an error that who asks corrects by asking otherwise.
type Mistake struct{ error }

// Unwrap returns the error itself.
func (m Mistake) Unwrap() error { return m.error }

func mistakef(format string, a ...any) error { return Mistake{fmt.Errorf(format, a...)} }

// twins are the commands that ask what the tools ask. Their words are the members of
// the question.
var twins = map[string]struct {
	command  string
	question any
	least    string // flag that is needed where no other is
}{
	toolSessions: {"ls --json", nil, ""},
	toolDiagnose: {"diagnose", Diagnose{}, ""},
	toolExplain:  {"explain", Explain{}, ""},
	toolMessages: {"show", Messages{}, "--limit 40"},
	toolMessage:  {"show", Message{}, ""},
	toolSearch:   {"search", Search{}, ""},
	toolWait:     {"wait", Wait{}, ""},
	toolCompare:  {"diff --json", Compare{}, ""},
	toolTools:    {"tools", Tools{}, ""},
	toolReplay:   {"replay", Replay{}, ""},
}

// Word is a member of a question as its command has it.
type Word struct {
	Member string
	Flag   string // "arg" for what stands by itself, "--" for what stands at the end
	About  string
	Value  reflect.Value
}

// Words are the members of a question that its command can give, in order.
func Words(question any) (all []Word) {
	v := reflect.Indirect(reflect.ValueOf(question))
	if v.Kind() != reflect.Struct {
		return nil
	}
	for field, value := range v.Fields() {
		if flag := field.Tag.Get("word"); flag != "" {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			all = append(all, Word{name, flag, field.Tag.Get("jsonschema"), value})
		}
	}
	return all
}

// text is a call as a model makes it, or as a shell does.
func (c *Call) text(shell bool) string {
	t, ok := twins[c.Tool]
	if !shell || !ok {
		args, _ := json.Marshal(c.Arguments)
		return c.Tool + " " + string(args)
	}
	line, flags := []string{"midwire", t.command}, 0
	for _, w := range Words(t.question) {
		v, given := c.Arguments[w.Member]
		if on, is := v.(bool); !given || is && !on {
			continue
		}
		if w.Flag != "arg" {
			line, flags = append(line, w.Flag), flags+1
		}
		switch v := v.(type) {
		case bool:
		case []any:
			for _, word := range v {
				line = append(line, quoted(word))
			}
		default:
			line = append(line, quoted(v))
		}
	}
	if flags == 0 && t.least != "" {
		line = append(line, t.least)
	}
	return strings.Join(line, " ")
}

// quoted is a value as a word of a POSIX shell.
func quoted(v any) string {
	if f, ok := v.(float64); ok {
		v = int64(f)
	}
	return export.ShellWord(fmt.Sprint(v))
}

// Shell is a text with the names of commands in the place of those of tools.
func Shell(text string) string {
	for tool, t := range twins {
		command, _, _ := strings.Cut(t.command, " ")
		text = strings.ReplaceAll(text, tool+" ", "midwire "+command+" ")
	}
	return text
}
