// Package oauth follows the authorization of MCP clients through the frames of a
// recording: from the request without a token to the request that is accepted,
// with the values that lead from one step to the next, and with what breaks the
// rules on the way.
//
// It is pure, and what it keeps is bounded. No credential leaves it: a mask of
// the recording stands for itself, a credential that a recording holds as it is
// becomes kept:N, the same N for the same credential.
package oauth

import (
	"slices"
	"strconv"
)

// Kind is one of the steps of a flow.
type Kind uint8

// The steps, in order.
const (
	Ask          Kind = iota // a request without a token, and the challenge
	Resource                 // protected resource metadata (RFC 9728)
	Server                   // authorization server metadata (RFC 8414, OpenID Connect Discovery)
	Registration             // how the client got its client_id
	Authorize                // the browser at the authorization endpoint
	Redirect                 // the browser back at the client, with a code
	Token                    // the code for a token
	Use                      // requests with the token
	Refresh                  // the refresh token for a new one
	StepUp                   // more scopes than the token has
	Kinds                    // how many steps there are
)

var kindWords = [Kinds]struct{ id, title string }{
	{"request", "request without a token"},
	{"resource_metadata", "resource metadata"},
	{"server_metadata", "auth. server metadata"},
	{"registration", "registration"},
	{"authorize", "authorize"},
	{"redirect", "redirect back"},
	{"token", "token"},
	{"use", "use the token"},
	{"refresh", "refresh"},
	{"step_up", "step-up"},
}

// String is the name of the step in JSON.
func (k Kind) String() string { return kindWords[k].id }

// Title is the name of the step for people.
func (k Kind) Title() string { return kindWords[k].title }

// MarshalText writes the name of the step.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// State is what came of a step.
type State uint8

// The states.
const (
	NotSeen State = iota // the recording does not show it
	Done
	Failed
	Skipped // it was not needed
)

// String is the name of the state.
func (s State) String() string { return [...]string{"not seen", "done", "failed", "skipped"}[s] }

// MarshalText writes the name of the state.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Party takes part in a flow, or has to act.
type Party string

// The parties.
const (
	Client     Party = "client"
	MCPServer  Party = "MCP server"
	AuthServer Party = "auth. server"
	Browser    Party = "browser"
	Midwire    Party = "midwire"
)

// Outcome is how a flow ended.
type Outcome string

// The outcomes.
const (
	Authorized Outcome = "authorized" // a request with the token was accepted
	Broken     Outcome = "failed"
	Open       Outcome = "unfinished" // nothing failed that was seen
	NoLogin    Outcome = "no login"   // the client had a token from the start
)

// Link is a value that leads from one step to the next.
type Link struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Exchange is a request of a step, with its response.
type Exchange struct {
	Request  uint64 `json:"request"`            // its frame
	Response uint64 `json:"response,omitempty"` // 0 for none
	From     Party  `json:"from"`
	To       Party  `json:"to"`
	What     string `json:"what"` // the method of MCP, else verb and path
	Status   int    `json:"status,omitempty"`
}

// Step is one step of a flow.
type Step struct {
	Number int      `json:"number"` // from 1
	Kind   Kind     `json:"step"`
	State  State    `json:"state"`
	From   Party    `json:"from"`
	To     Party    `json:"to"`
	Text   string   `json:"text"`           // what happened, or why it is not seen
	Frames []uint64 `json:"frames"`         // requests and responses, in order; the last ones of many
	More   int      `json:"more,omitempty"` // frames that are left out
	Links  []Link   `json:"links"`

	Exchanges []Exchange `json:"exchanges"` // that frames are of
}

// Claim is a member of the payload of a JWT.
type Claim struct {
	Name  string `json:"name"`
	Value string `json:"value"` // JSON
}

// Credential is a token that an authorization server issued.
type Credential struct {
	Kind   string  `json:"kind"` // access, refresh or id
	Mask   string  `json:"mask"`
	N      uint64  `json:"frame"`
	Claims []Claim `json:"claims,omitempty"` // of a JWT that the recording holds as it is
	Opaque bool    `json:"opaque,omitempty"` // the recording holds it, and it is no JWT
}

// Flow is one try of a client to be let in by a server.
type Flow struct {
	Number      int          `json:"number"`  // from 1 in the recording
	Try         int          `json:"try"`     // from 1 for this client and server
	Session     int          `json:"session"` // number of the session, from 1; 0 for none
	Client      string       `json:"client"`
	URL         string       `json:"url"` // of the MCP server, as the client uses it
	AuthServer  string       `json:"auth_server"`
	Version     string       `json:"protocol_version"`
	Outcome     Outcome      `json:"outcome"`
	Steps       []Step       `json:"steps"`  // all of them, in order
	Checks      []Check      `json:"checks"` // those that failed, in the order of the steps
	Credentials []Credential `json:"credentials"`
}

// Title says what a flow is: a login, what else it has, or why there is none.
func (f *Flow) Title() string {
	seen := func(k Kind) bool { return len(f.Steps[k].Exchanges) > 0 }
	title := "login"
	switch {
	case f.Outcome == NoLogin:
		title = "token from the start"
	case seen(Refresh) && !seen(Token) && !seen(Authorize) && !seen(Registration):
		title = "refresh"
	case seen(Refresh):
		title += ", refresh"
	}
	if seen(StepUp) {
		title += ", step-up"
	}
	if f.Try > 1 {
		title += ", try " + strconv.Itoa(f.Try)
	}
	return title
}

// Unseen reports whether the authorization server is known, and not in the recording.
func (f *Flow) Unseen() bool {
	return f.AuthServer != "" && f.Outcome != NoLogin && !slices.ContainsFunc(f.Steps, func(s Step) bool {
		return slices.ContainsFunc(s.Exchanges, func(x Exchange) bool { return x.To == AuthServer })
	})
}

// First is the first failing check, nil when there is none.
func (f *Flow) First() *Check {
	if len(f.Checks) == 0 {
		return nil
	}
	return &f.Checks[0]
}

// FailedSteps is how many steps failed.
func (f *Flow) FailedSteps() int {
	n := 0
	for i := range f.Steps {
		if f.Steps[i].State == Failed {
			n++
		}
	}
	return n
}

// Account is the authorization in a recording.
type Account struct {
	Flows   []Flow `json:"flows"`
	LeftOut int    `json:"left_out,omitempty"` // flows that were too many
}

// Failed reports whether a flow failed and none of the same client and server was
// authorized after it.
func (a *Account) Failed() bool {
	for i := range a.Flows {
		if a.Flows[i].Outcome == Broken && !a.Overcome(i) {
			return true
		}
	}
	return false
}

// Overcome reports whether the client of a flow was authorized by its server later.
func (a *Account) Overcome(i int) bool {
	f := &a.Flows[i]
	return slices.ContainsFunc(a.Flows[i+1:], func(g Flow) bool {
		return g.Outcome == Authorized && g.Client == f.Client && g.URL == f.URL
	})
}
