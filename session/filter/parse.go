package filter

import "strings"

const maxDepth = 60 // of brackets and negations

// Parse reads a filter of messages. An empty one is nil.
//
// Where only the end is missing (Error.More), the node is what can be said
// already, or nil.
func Parse(text string) (*Node, *Error) {
	return messages.Parse(text)
}

// Parse reads a filter in this language, as the function of that name does.
func (l Language) Parse(text string) (*Node, *Error) {
	p := parser{keys: l, text: text}
	n := p.either()
	if p.skip(); p.err == nil && p.i < len(text) {
		p.fail(Error{At: p.i, From: p.i, To: p.i + 1, Text: "no parenthesis is open here"})
	}
	if p.err != nil && !p.err.More {
		return nil, p.err
	}
	return n, p.err
}

type parser struct {
	keys  Language
	text  string
	i     int
	depth int
	err   *Error
}

// fail notes the first error; one that only wants more gives way to another.
func (p *parser) fail(e Error) *Node {
	if p.err == nil || p.err.More && !e.More {
		p.err = &e
	}
	return nil
}

func (p *parser) stopped() bool { return p.err != nil && !p.err.More }

func (p *parser) skip() {
	for p.i < len(p.text) && blank(p.text[p.i]) {
		p.i++
	}
}

// peek reports whether something follows that is no closing bracket.
func (p *parser) peek() bool {
	p.skip()
	return p.i < len(p.text) && p.text[p.i] != ')'
}

// word takes a keyword, in lower or upper case, if it is next.
func (p *parser) word(w string) bool {
	if !p.isWord(w) {
		return false
	}
	p.i += len(w)
	return true
}

func (p *parser) isWord(w string) bool {
	p.skip()
	rest := p.text[p.i:]
	if !strings.HasPrefix(rest, w) && !strings.HasPrefix(rest, strings.ToUpper(w)) {
		return false
	}
	rest = rest[len(w):]
	return rest == "" || blank(rest[0]) || rest[0] == '(' || rest[0] == ')'
}

// either reads what "or" joins.
func (p *parser) either() *Node {
	p.skip()
	at := p.i
	kids := p.join(nil, p.all())
	for !p.stopped() && p.isWord("or") {
		or := p.i
		if p.word("or"); p.nothingSince(at, or) {
			return p.fail(Error{At: or, From: or, To: p.i, Text: "a term must come before or; in quotes it is text"})
		}
		if !p.peek() {
			p.fail(Error{At: p.i, From: or, To: p.i, More: true, Text: "a term must follow or"})
			break
		}
		kids = p.join(kids, p.all())
	}
	return several(Or, kids, at)
}

// nothingSince reports whether there are only blanks from a to b.
func (p *parser) nothingSince(a, b int) bool { return strings.TrimSpace(p.text[a:b]) == "" }

func (p *parser) join(kids []*Node, n *Node) []*Node {
	if n == nil {
		return kids
	}
	return append(kids, n)
}

func several(k Kind, kids []*Node, at int) *Node {
	switch len(kids) {
	case 0:
		return nil
	case 1:
		return kids[0]
	}
	return &Node{Kind: k, Kids: kids, At: at}
}

// all reads what must hold together.
func (p *parser) all() *Node {
	var kids []*Node
	at := p.i
	for !p.stopped() && p.peek() && !p.isWord("or") {
		if p.word("and") {
			continue
		}
		kids = p.join(kids, p.operand())
	}
	return several(And, kids, at)
}

func (p *parser) operand() *Node {
	at := p.i
	if p.depth++; p.depth > maxDepth {
		return p.fail(Error{At: at, From: at, To: at + 1, Text: "nested too deeply"})
	}
	defer func() { p.depth-- }()
	switch {
	case p.word("not") || p.sign():
		if !p.peek() || p.isWord("or") || p.isWord("and") {
			return p.fail(Error{At: p.i, From: at, To: p.i, More: p.i == len(p.text), Text: "a term must follow not"})
		}
		n := p.operand()
		if n == nil {
			return nil
		}
		return &Node{Kind: Not, Kids: []*Node{n}, At: at}
	case p.text[p.i] == '(':
		return p.bracket()
	}
	return p.term()
}

// sign takes a sign that negates what follows.
func (p *parser) sign() bool {
	if !negates(p.text, p.i) {
		return false
	}
	p.i++
	return true
}

func (p *parser) bracket() *Node {
	at := p.i
	p.i++
	n := p.either()
	p.skip()
	switch {
	case p.stopped():
		return nil
	case p.i == len(p.text):
		p.fail(Error{At: at, From: at, To: p.i, More: true, Text: "the parenthesis is not closed"})
	case n == nil && p.err == nil:
		return p.fail(Error{At: p.i, From: at, To: p.i + 1, Text: "the parentheses are empty"})
	default:
		p.i++
	}
	return n
}

func (p *parser) term() *Node {
	w := p.keys.readTerm(p.text, p.i)
	p.i = w.end
	n := &Node{At: w.at, Key: w.key, Op: w.op, Value: w.value}
	no := w.op == "!="
	if no {
		n.Op = "="
	}
	if e := n.mean(p.keys, &w); e != nil {
		e.From, e.To = w.at, w.end
		e.More = e.More && w.end == len(p.text)
		return p.fail(*e)
	}
	if w.open {
		p.fail(Error{At: w.valueAt, From: w.at, To: w.end, More: true, Text: "the quote is not closed"})
		if w.value == "" || w.key == "jq" || w.regexp {
			return nil
		}
	}
	if no {
		return &Node{Kind: Not, Kids: []*Node{n}, At: w.at}
	}
	return n
}
