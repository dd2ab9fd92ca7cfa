package filter

import "strings"

// written is a term as it stands in the text.
type written struct {
	at, end int
	key, op string
	valueAt int
	value   string
	pos     []int // where each byte of value stands
	open    bool  // its quote is not closed
	regexp  bool
}

// offset is where the i-th byte of the value stands.
func (w *written) offset(i int) int {
	if i >= 0 && i < len(w.pos) {
		return w.pos[i]
	}
	return w.end
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func letter(c byte) bool { return c >= 'a' && c <= 'z' }

// readTerm reads the term that begins at i, which is no blank and no bracket.
func (l Language) readTerm(text string, i int) written {
	w := written{at: i, valueAt: i}
	switch c := text[i]; {
	case c == '~' && i+1 < len(text) && !blank(text[i+1]):
		w.op, w.regexp, w.valueAt = "~", true, i+1
	case c == '/' && w.slashes(text):
		return w
	case letter(c):
		w.readKey(l, text)
	}
	w.readValue(text)
	return w
}

// slashes reads /regexp/, which ends with the word.
func (w *written) slashes(text string) bool {
	for i := w.at + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '/':
			if i == w.at+1 || i+1 < len(text) && !blank(text[i+1]) && text[i+1] != ')' {
				return false
			}
			w.op, w.regexp, w.valueAt, w.end = "~", true, w.at+1, i+1
			w.value = text[w.valueAt:i]
			for k := range w.value {
				w.pos = append(w.pos, w.valueAt+k)
			}
			return true
		}
	}
	return false
}

// readKey reads key and operator if there are any. What looks like one and is
// a path, an URL or an equation is text.
func (w *written) readKey(l Language, text string) {
	i := w.at
	for i < len(text) && letter(text[i]) {
		i++
	}
	rest := text[i:]
	for _, op := range []string{"!=", "<=", ">=", "<", ">", "=", ":", "~"} {
		value, ok := strings.CutPrefix(rest, op)
		if !ok {
			continue
		}
		known := l.named(text[w.at:i]) != nil
		if strings.HasPrefix(value, "//") || !known && (op != ":" || strings.HasPrefix(value, "/")) {
			return
		}
		w.key, w.op, w.valueAt, w.regexp = text[w.at:i], op, i+len(op), op == "~"
		return
	}
}

// readValue reads to the end of the word: a blank or a closing bracket outside
// of quotes. Brackets that the word itself opens are its own.
func (w *written) readValue(text string) {
	var b strings.Builder
	take := func(i int) {
		b.WriteByte(text[i])
		w.pos = append(w.pos, i)
	}
	depth, quote, mayQuote := 0, byte(0), true
	i := w.valueAt
	for ; i < len(text); i++ {
		c := text[i]
		switch {
		case quote != 0 && c == quote:
			quote, mayQuote = 0, true
			continue
		case quote != 0:
			take(i)
			continue
		case c == '"' || c == '\'' && mayQuote:
			quote = c
			continue
		case blank(c) || c == ')' && depth == 0:
			w.value, w.end = b.String(), i
			return
		case c == '\\' && w.regexp && i+1 < len(text):
			take(i)
			i++
		case c == '(':
			depth++
		case c == ')':
			depth--
		}
		take(i)
		mayQuote = false
	}
	w.value, w.end, w.open = b.String(), i, quote != 0
}

// Spot is the word where the cursor stands.
type Spot struct {
	From, To int    // the bytes of the word, without what negates it
	Key, Op  string // "" while there is no key
	Value    string // as far as the cursor
}

// WordAt finds the word before the cursor. Between words it is empty.
func (l Language) WordAt(text string, cursor int) Spot {
	cursor = max(0, min(cursor, len(text)))
	none := Spot{From: cursor, To: cursor}
	for i := 0; i < cursor; {
		switch c := text[i]; {
		case blank(c) || c == '(' || c == ')':
			i++
			continue
		case negates(text, i):
			i++
			continue
		}
		w := l.readTerm(text, i)
		if cursor > w.end {
			i = max(w.end, i+1)
			continue
		}
		part := l.readTerm(text[:cursor], i)
		return Spot{From: i, To: w.end, Key: part.key, Op: part.op, Value: part.value}
	}
	return none
}

// negates reports whether the sign at i belongs to what follows it.
func negates(text string, i int) bool {
	return text[i] == '!' || text[i] == '-' && i+1 < len(text) && !blank(text[i+1]) && text[i+1] != ')'
}
