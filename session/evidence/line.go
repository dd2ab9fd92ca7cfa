// Package evidence shows what was seen in a session: at most MaxLines lines about what was
// refused, failed or not answered, what differs from the last time it was served, and how the
// session ended. It has no rules: it names no cause and no side.
package evidence

import (
	"slices"
	"strconv"
	"strings"

	"midwire/session/words"
)

// The labels of lines. The first four have a colour.
const (
	Refused = "refused"
	Failed  = "failed"
	Silent  = "silent"
	Served  = "served"
	Odd     = "result"
	Sent    = "sent"
	Got     = "got"
	Schema  = "schema"
	Differs = "differs"
	Stray   = "stray"
	Noise   = "noise"
	Started = "started"
	Stderr  = "stderr"
	Sizes   = "sizes"
	Silence = "silence"
	Login   = "login"
	Version = "version"
	Never   = "never"
	InAll   = "in all"
	Ended   = "ended"
	Asked   = "asked"
	Next    = "next"
)

// MaxLines is how many lines a block has, as a screen draws them.
const MaxLines = 16

// LabelWidth is how many cells a label takes with the space behind it.
const LabelWidth = 10

// Line is one line of the block. Its texts hold bytes from the wire: they are masked and made
// safe where they are shown.
type Line struct {
	Label  string
	Parts  []Part
	Frames []uint64
}

// Part is a piece of a line. Only what is quoted may be shortened.
type Part struct {
	Text   string
	Quoted bool
}

// Block is what is shown, with how many lines are left out.
type Block struct {
	Lines []Line
	Left  []string // labels of those left out, each once
}

// Text is the line whole.
func (l Line) Text() string { return l.Fit(1 << 20) }

// Fit is the line in at most n bytes, where that can be had by shortening what is quoted.
func (l Line) Fit(n int) string {
	const least = 24
	over, quotes := -n, []int{}
	for i, p := range l.Parts {
		if over += len(p.Text); p.Quoted {
			over += len(`""`)
			quotes = append(quotes, i)
		}
	}
	most := make([]int, len(l.Parts))
	for i, p := range l.Parts {
		most[i] = len(p.Text)
	}
	for over > 0 && len(quotes) > 0 { // the longest quote gives way first
		longest, next := 0, least
		for _, i := range quotes {
			longest = max(longest, most[i])
		}
		count := 0
		for _, i := range quotes {
			if most[i] == longest {
				count++
			} else {
				next = max(next, most[i])
			}
		}
		if longest <= least {
			break
		}
		to := max(next, longest-(over+count-1)/count)
		for _, i := range quotes {
			if most[i] == longest {
				over -= longest - to
				most[i] = to
			}
		}
	}
	var b strings.Builder
	for i, p := range l.Parts {
		if !p.Quoted {
			b.WriteString(p.Text)
			continue
		}
		b.WriteString(`"` + Shorten(p.Text, most[i]) + `"`)
	}
	return b.String()
}

// Shorten is a text in at most n bytes: whole, or to the end of a word with … behind it.
func Shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	s = words.Clip(s, max(n-len("…"), 0))
	if i := strings.LastIndexByte(s, ' '); i > len(s)/2 {
		s = s[:i]
	}
	return strings.TrimRight(s, " ,;:.") + "…"
}

// Rewrite puts every text through a function, such as one that masks.
func (b *Block) Rewrite(do func(string) string) {
	for i := range b.Lines {
		l := &b.Lines[i]
		l.Parts = slices.Clone(l.Parts)
		for k := range l.Parts {
			l.Parts[k].Text = do(l.Parts[k].Text)
		}
	}
}

// builder makes a line.
type builder struct{ Line }

func on(label string) *builder { return &builder{Line{Label: label}} }

// put adds words of ours.
func (l *builder) put(texts ...string) *builder {
	text := strings.Join(texts, "")
	if n := len(l.Parts); n > 0 && !l.Parts[n-1].Quoted {
		l.Parts[n-1].Text += text
	} else {
		l.Parts = append(l.Parts, Part{Text: text})
	}
	return l
}

// quote adds words of a peer.
func (l *builder) quote(text string) *builder {
	l.Parts = append(l.Parts, Part{Text: one(text), Quoted: true})
	return l
}

// at adds the number of a frame.
func (l *builder) at(n uint64) *builder {
	if n == 0 {
		return l
	}
	return l.cite(n).put(" #" + strconv.FormatUint(n, 10))
}

// cite notes a frame that the line is about.
func (l *builder) cite(frames ...uint64) *builder {
	for _, n := range frames {
		if n != 0 && !slices.Contains(l.Line.Frames, n) {
			l.Line.Frames = append(l.Line.Frames, n)
		}
	}
	return l
}

// one is a text on one line.
func one(s string) string { return strings.Join(strings.Fields(s), " ") }

// called is a name of a peer's: it stands without quotes, and is short.
func called(s string) string { return Shorten(one(s), 60) }

// Took is a duration as lines have it: 2 ms, 1.2 s, 4 min.
func Took(ns int64) string {
	switch s := float64(ns) / 1e9; {
	case s < 0.0095:
		return strconv.FormatFloat(s*1000, 'f', 1, 64) + " ms"
	case s < 0.9995:
		return strconv.FormatFloat(s*1000, 'f', 0, 64) + " ms"
	case s < 120:
		return strconv.FormatFloat(s, 'f', 1, 64) + " s"
	default:
		return strconv.FormatFloat(s/60, 'f', 0, 64) + " min"
	}
}

// Bytes is a size as lines have it: 240 B, 4.1 kB, 2.0 MB.
func Bytes[N int | uint32](n N) string {
	switch b := float64(n); {
	case b < 1000:
		return strconv.Itoa(int(n)) + " B"
	case b < 1e6:
		return strconv.FormatFloat(b/1e3, 'f', 1, 64) + " kB"
	default:
		return strconv.FormatFloat(b/1e6, 'f', 1, 64) + " MB"
	}
}
