package gate

import (
	_ "embed"
	"strings"
	"sync"

	"midwire/session/filter"
)

// Preset is a fault with a name: it stands for some rules.
type Preset struct {
	Name  string
	Lines []string // {} is where the argument of the preset stands
	Usual string   // the argument when none is given, "" when it takes none
	Help  string
	Spec  string // the section of the specification that decides what is correct
}

//go:embed presets.txt
var presetsText string

// Presets are the faults that have names.
var Presets = sync.OnceValue(func() (all []Preset) {
	for line := range strings.Lines(presetsText) {
		line = strings.TrimSuffix(line, "\n")
		last := len(all) - 1
		switch text, more := strings.CutPrefix(line, "\t"); {
		case line == "" || isComment(line):
		case more && all[last].Help == "":
			all[last].Help = text
		case more:
			all[last].Spec = text
		case arrow(line) >= 0:
			all[last].Lines = append(all[last].Lines, line)
		default:
			name, usual, _ := strings.Cut(strings.TrimSuffix(line, "]"), " [")
			all = append(all, Preset{Name: name, Usual: usual})
		}
	}
	return all
})

// Expand is the lines that a preset stands for, with its usual argument when arg
// is empty.
func (p *Preset) Expand(arg string) []string {
	if arg == "" {
		arg = p.Usual
	}
	var all []string
	for _, l := range p.Lines {
		all = append(all, strings.ReplaceAll(l, "{}", arg))
	}
	return all
}

// Named finds the preset that a line names: NAME, NAME ARGUMENT or
// NAME=ARGUMENT.
func Named(line string) (p *Preset, arg string, ok bool) {
	line = strings.TrimSpace(line)
	i := strings.IndexAny(line, " =")
	name := line
	if i >= 0 {
		name, arg = line[:i], strings.TrimSpace(line[i+1:])
	}
	if arrow(line) >= 0 {
		return nil, "", false
	}
	for _, p := range Presets() {
		if p.Name == name {
			return &p, arg, true
		}
	}
	return nil, "", false
}

func (p *Preset) rules(line, arg string) (all []*Rule, err *filter.Error) {
	if arg != "" && p.Usual == "" {
		at := strings.Index(line, arg)
		return nil, &filter.Error{At: at, From: at, To: at + len(arg), Text: p.Name + " takes nothing behind it"}
	}
	for _, l := range p.Expand(arg) {
		r, err := ParseRule(l)
		if err != nil {
			return nil, &filter.Error{At: len(line), From: 0, To: len(line), Text: p.Name + ": " + err.Text}
		}
		r.Preset = p.Name
		all = append(all, r)
	}
	return all, nil
}
