package gating

import (
	"slices"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
)

// editor is a text of several lines that is written on the screen.
type editor struct {
	lines    []string
	before   []string // as they were
	row, col int      // where the cursor is: line, and byte of it
	top      int      // the first line that is seen
}

func newEditor(text string) *editor {
	lines := strings.Split(text, "\n")
	return &editor{lines: lines, before: slices.Clone(lines)}
}

func (e *editor) text() string { return strings.Join(e.lines, "\n") }

func (e *editor) changed() bool { return !slices.Equal(e.lines, e.before) }

// write replaces the text, as if it had been typed.
func (e *editor) write(text string) {
	e.lines = strings.Split(strings.ReplaceAll(strings.TrimRight(text, "\r\n"), "\r\n", "\n"), "\n")
	e.row, e.col = 0, 0
	for i, was := range e.before { // the cursor stands at the first change
		if i >= len(e.lines) || e.lines[i] != was {
			e.row = min(i, len(e.lines)-1)
			break
		}
	}
}

func (e *editor) insert(text string) {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\t", "  ").Replace(text)
	line := e.lines[e.row]
	parts := strings.Split(text, "\n")
	last := len(parts) - 1
	col := len(parts[last])
	if last == 0 {
		col += e.col
	}
	parts[0] = line[:e.col] + parts[0]
	parts[last] += line[e.col:]
	e.lines = slices.Replace(e.lines, e.row, e.row+1, parts...)
	e.row, e.col = e.row+last, col
}

// take takes a key or pasted text. It says whether that means something here.
func (e *editor) take(msg tea.Msg) bool {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		e.insert(msg.Content)
		return true
	case tea.KeyPressMsg:
		if msg.Text != "" {
			e.insert(msg.Text)
			return true
		}
		return e.moveKey(msg.String()) || e.deleteKey(msg.String())
	}
	return false
}

func (e *editor) moveKey(name string) bool {
	line := e.lines[e.row]
	switch name {
	case "left":
		e.left()
	case "right":
		e.right()
	case "up":
		e.toRow(e.row - 1)
	case "down":
		e.toRow(e.row + 1)
	case "pgup":
		e.toRow(e.row - 10)
	case "pgdown":
		e.toRow(e.row + 10)
	case "home", "ctrl+a":
		e.col = 0
	case "end", "ctrl+e":
		e.col = len(line)
	case "ctrl+home":
		e.row, e.col = 0, 0
	case "ctrl+end":
		e.toRow(len(e.lines))
		e.col = len(e.lines[e.row])
	default:
		return false
	}
	return true
}

func (e *editor) deleteKey(name string) bool {
	line := e.lines[e.row]
	switch name {
	case "backspace":
		row, col := e.row, e.col
		if e.left(); row == 0 && col == 0 {
			return true
		}
		e.cut(row, col)
	case "delete", "ctrl+d":
		row, col := e.row, e.col
		if e.right(); row == e.row && col == e.col {
			return true
		}
		to, at := e.row, e.col
		e.row, e.col = row, col
		e.cut(to, at)
	case "enter":
		e.insert("\n" + line[:len(line)-len(strings.TrimLeft(line, " "))])
	case "ctrl+k":
		e.lines[e.row] = line[:e.col]
	case "ctrl+u":
		e.lines[e.row], e.col = line[e.col:], 0
	case "ctrl+w":
		col, kept := e.col, strings.TrimRight(line[:e.col], " ")
		e.col = strings.LastIndexAny(kept, ` "{}[]:,/.`) + 1
		if e.col == len(kept) && e.col > 0 {
			e.col--
		}
		e.cut(e.row, col)
	default:
		return false
	}
	return true
}

// cut takes away what is between the cursor and a place behind it.
func (e *editor) cut(row, col int) {
	line := e.lines[e.row][:e.col] + e.lines[row][col:]
	e.lines = slices.Replace(e.lines, e.row, row+1, line)
}

func (e *editor) left() {
	switch {
	case e.col > 0:
		_, n := utf8.DecodeLastRuneInString(e.lines[e.row][:e.col])
		e.col -= n
	case e.row > 0:
		e.row--
		e.col = len(e.lines[e.row])
	}
}

func (e *editor) right() {
	switch line := e.lines[e.row]; {
	case e.col < len(line):
		_, n := utf8.DecodeRuneInString(line[e.col:])
		e.col += n
	case e.row < len(e.lines)-1:
		e.row, e.col = e.row+1, 0
	}
}

// toRow goes to a line, as far to the right as before.
func (e *editor) toRow(row int) {
	at := utf8.RuneCountInString(e.lines[e.row][:e.col])
	e.row = max(0, min(row, len(e.lines)-1))
	e.col = 0
	for line := e.lines[e.row]; at > 0 && e.col < len(line); at-- {
		_, n := utf8.DecodeRuneInString(line[e.col:])
		e.col += n
	}
}

// was is the line that a line has replaced; added says that it has replaced none.
// Both are false for a line that is as it was.
func (e *editor) was(row int) (line string, replaced, added bool) {
	from, to := 0, 0 // equal lines at both ends
	most := min(len(e.lines), len(e.before))
	for from < most && e.lines[from] == e.before[from] {
		from++
	}
	for to < most-from && e.lines[len(e.lines)-1-to] == e.before[len(e.before)-1-to] {
		to++
	}
	switch {
	case row < from || row >= len(e.lines)-to:
		return "", false, false
	case row >= len(e.before)-to:
		return "", false, true
	}
	line = e.before[row]
	return line, line != e.lines[row], false
}
