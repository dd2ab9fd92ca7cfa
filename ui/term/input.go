package term

import (
	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
)

// Input is a line that the user writes. It is drawn here: textinput.View draws
// what it holds unescaped and cuts it without a sign, and textinput.Cursor counts
// characters from the beginning where cells from the edge are wanted.
type Input struct{ textinput.Model }

// NewInput makes an empty one that takes so many characters.
func NewInput(limit int) Input {
	in := textinput.New()
	in.SetVirtualCursor(false)
	in.CharLimit = limit
	return Input{in}
}

// Write replaces the text; the cursor stands at its end.
func (in *Input) Write(text string) {
	in.SetValue(text)
	in.CursorEnd()
}

// Before is the text before the cursor.
func (in *Input) Before() string { return string([]rune(in.Value())[:in.Position()]) }

// Take takes a key, or what else there is to put in, like pasted text.
func (in *Input) Take(msg tea.Msg) (cmd tea.Cmd) {
	if k, ok := msg.(tea.KeyPressMsg); ok && key.Matches(k, in.KeyMap.DeleteWordForward) {
		if before := in.Before(); in.Position() == len([]rune(in.Value()))-1 {
			in.Write(before) // textinput would look behind the last character
			return nil
		}
	}
	in.Model, cmd = in.Update(msg)
	return cmd
}

// Draw writes the text in at most room cells, the cursor and some of what is behind
// it always among them, and leaves the place of the cursor with the line.
func (in *Input) Draw(l *Line, room int) {
	room = min(room, l.Max-l.Used)
	raw, more := in.Before(), l.Glyphs.Ellipsis
	before, after := safe.Line(raw), safe.Line(in.Value()[len(raw):])
	if over := Width(before) + max(1, min(Width(after), room/4)) - room; over > 0 {
		before = CutLeft(before, over+Width(more), more)
	}
	l.Put(Plain, before)
	l.Cursor = min(l.Used, l.Max-1)
	l.PutMax(Plain, after, room-Width(before))
}
