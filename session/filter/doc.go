// Package filter implements the filter language: parsing, printing and completion.
// It is pure and knows nothing of rows or screens: the owner of the messages turns
// its nodes into conditions.
//
//	filter = all { "or" all }
//	all    = one { ["and"] one }
//	one    = ("not" | "!" | "-") one | "(" filter ")" | term
//	term   = text | "~" regexp | "/" regexp "/" | key op value
//	op     = ":" | "=" | "!=" | "<" | "<=" | ">" | ">=" | "~"
//
// Quotes keep blanks, parentheses and signs together; the text between them is
// literal. Single and double quotes may be nested.
package filter

import (
	"regexp"

	"github.com/itchyny/gojq"
)

// Kind says what a node is.
type Kind uint8

// The kinds of node.
const (
	Term Kind = iota
	And       // two kids or more
	Or        // two kids or more
	Not       // one kid
)

// Node is a parsed filter, or a part of it. It is not changed once it is made.
type Node struct {
	Kind  Kind
	Kids  []*Node
	At    int    // byte where it begins
	Key   string // of a term; "" for text anywhere
	Op    string // ":", "=", "<", "<=", ">", ">=" or "~"
	Value string // as it was written, without quotes

	// What the value means, by the type of the key.
	Word      string         // one of the words of the key
	Low, High int64          // a number, or the range that it stands for
	Clock     bool           // Low is the time of a day and no time since the beginning
	Frame     bool           // Low is the number of a frame and no time
	Match     *regexp.Regexp // of "~"
	Code      *gojq.Code     // of jq
}

// Error says what is wrong with a filter and at which byte of it.
type Error struct {
	At   int
	Text string
	From int    // where the word begins
	To   int    // where it ends
	More bool   // nothing is wrong so far, but something must follow
	Fix  string // what to write instead of the word, "" when that is not obvious
}

func (e *Error) Error() string { return e.Text }
