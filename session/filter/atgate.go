package filter

import "slices"

// gateKinds are what a message on its way can be.
var gateKinds = []string{"request", "response", "notification", "head", "event", "line", "noise"}

// cannotAsk gives the reason why a key cannot match a message in transit.
var cannotAsk = map[string]string{
	"lat":      "the response has not arrived yet",
	"finding":  "rules run on recordings, not on messages in transit",
	"rule":     "rules run on recordings, not on messages in transit",
	"severity": "rules run on recordings, not on messages in transit",
	"after":    "a message in transit is always now",
	"before":   "a message in transit is always now",
	"time":     "a message in transit is always now",
	"flow":     "a message in transit has no number yet",
	"comment":  "a message in transit has no comments yet",
	"client":   "the gate knows sessions, not names: use session",
	"server":   "the gate knows sessions, not names: use session",
}

// atGate is the language of conditions on messages that are on their way: that of
// messages with other kinds. What cannot be asked yet is refused by ParseAtGate.
var atGate = func() Language {
	l := slices.Clone(messages)
	for i := range l {
		switch l[i].Name {
		case "kind":
			l[i].Help, l[i].Words, l[i].Also = "what the message is", gateKinds, []string{"call"}
		case "is":
			l[i].Words = []string{"error", "ok"}
		}
	}
	return l
}()

// ParseAtGate reads a condition on messages on their way, as Parse reads a filter.
func ParseAtGate(text string) (*Node, *Error) {
	n, err := atGate.Parse(text)
	if err == nil && n != nil {
		err = n.refused()
	}
	if err != nil {
		return nil, err
	}
	return n, nil
}

func (n *Node) refused() *Error {
	if why := cannotAsk[n.Key]; why != "" && n.Kind == Term {
		return &Error{
			At: n.At, From: n.At, To: n.At + len(n.Key),
			Text: n.Key + " cannot be matched in transit: " + why,
		}
	}
	for _, k := range n.Kids {
		if err := k.refused(); err != nil {
			return err
		}
	}
	return nil
}

// Asks reports whether the filter has a term with one of the keys.
func (n *Node) Asks(keys ...string) bool {
	if n == nil {
		return false
	}
	return n.Kind == Term && slices.Contains(keys, n.Key) ||
		slices.ContainsFunc(n.Kids, func(k *Node) bool { return k.Asks(keys...) })
}
