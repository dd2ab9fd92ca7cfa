package wire

import (
	"bytes"
	"encoding/json"
)

// What a Gate frame says was done.
const (
	GateArm       = "arm"       // Rules are armed
	GateDisarm    = "disarm"    // Rules are not armed any longer
	GateHold      = "hold"      // the message waits
	GateDelay     = "delay"     // it waits for MS
	GateRelease   = "release"   // it is forwarded, after MS
	GateEdit      = "edit"      // Now is forwarded, under Head where there is one
	GateDrop      = "drop"      // it goes no further
	GateAnswer    = "answer"    // the response behind this frame is of the gate's own, to the message
	GateInject    = "inject"    // the unit behind this frame is of the gate's own
	GateDuplicate = "duplicate" // it is forwarded Count more times
	GateCut       = "cut"       // the response to the message, or its stream, is ended; How
	GateKill      = "kill"      // the server is killed
	GatePass      = "pass"      // it passed although a rule may have meant it; Why
	GateGone      = "gone"      // it was held when its connection ended
)

// GateReload is the Rule of what midwire says itself around a restart of the server.
const GateReload = "--reload"

// Gate is the payload of a KindGate frame: someone intervened.
type Gate struct {
	What  string   `json:"what"`
	Frame uint64   `json:"frame,omitempty"` // of the message, or the latest before
	Batch int      `json:"batch,omitempty"` // position of the message in a batch
	ID    int      `json:"id,omitempty"`    // of what is held
	Rule  string   `json:"rule,omitempty"`
	Fault string   `json:"fault,omitempty"` // the preset that the rule comes from
	By    string   `json:"by,omitempty"`    // the controller that asked for it
	MS    int64    `json:"ms,omitempty"`
	Count int      `json:"count,omitempty"`
	How   string   `json:"how,omitempty"`
	Why   string   `json:"why,omitempty"`
	Less  int      `json:"less,omitempty"` // bytes of the payload that an edit took away
	More  int      `json:"more,omitempty"` // and put in their place
	Rules []string `json:"rules,omitempty"`
	// Made is how many lines or events behind this one are of the gate's own: to
	// the other side for an answer, else in its direction.
	Made int    `json:"made,omitempty"`
	Head string `json:"head,omitempty"`
	// Now is the payload that is forwarded: the JSON itself, or a string of what is
	// none.
	Now json.RawMessage `json:"now,omitempty"`
}

// JSON is the payload of the frame. Now keeps its very bytes.
func (g Gate) JSON() []byte {
	now := g.Now
	g.Now = nil
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(g) // plain strings and numbers
	out := bytes.TrimRight(b.Bytes(), "\n")
	if now == nil {
		return out
	}
	return append(append(append(out[:len(out)-1], `,"now":`...), now...), '}')
}
