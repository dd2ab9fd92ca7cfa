package session

// Summary is what a table of sessions needs to know of one.
type Summary struct {
	Session   int    `json:"session"` // index into Tracker.Sessions
	Transport string `json:"transport"`
	Revision  string `json:"revision,omitempty"`
	ID        string `json:"id,omitempty"`
	IDSource  string `json:"id_source"`
	Why       string `json:"why"`
	Client    string `json:"client,omitempty"` // "name version"
	Server    string `json:"server,omitempty"`
	State     string `json:"state"`
	Probe     bool   `json:"probe,omitempty"`
	Started   int64  `json:"started"` // nanoseconds since the recording started
	Last      int64  `json:"last"`
	Messages  int    `json:"messages"`
	Calls     int    `json:"calls"`
	Errors    int    `json:"errors"`
	Pending   int    `json:"pending"`
	Noise     int    `json:"noise"`
}

// Summary returns the summary of every session, in order of first appearance.
// The strings that came from the wire are not safe to print.
func (t *Tracker) Summary() []Summary {
	all := make([]Summary, len(t.list))
	for i, s := range t.list {
		all[i] = Summary{
			Session: s.Index, Transport: s.Transport.String(), Revision: string(s.Revision),
			ID: s.ID, IDSource: s.IDSource.String(), Why: s.Why,
			Client: peerWords(s.Client), Server: peerWords(s.Server),
			State: s.State.String(), Probe: s.Probe,
			Started: s.Started, Last: s.Last, Messages: s.Messages, Calls: s.Calls,
			Errors: s.Errors, Pending: s.Pending, Noise: s.Noise,
		}
	}
	return all
}
