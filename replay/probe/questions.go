package probe

import (
	"fmt"

	"midwire/replay"
	"midwire/session/library"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// question is what the server asked in the recorded session, and what its client answered.
type question struct {
	method string
	member []byte // "result":… or "error":… of the answer, nil for none
	legal  bool   // a client may answer so
	does   bool   // the answer lets something happen
	name   string // of a try
	cause  string
	frames []uint64
}

// asksBetween are the questions before the request was over that the client answered otherwise
// than a client does that can do little.
func (p *prober) asksBetween() (all []question) {
	s := p.script
	seen := map[string]bool{}
	for i := range s.ServerRequests {
		sent := &s.ServerRequests[i]
		row := s.Row(sent.Row)
		late := p.end != 0 && row.Request > p.end
		if int(sent.Session) != p.session.Index || sent.Call >= 0 && sent.Call != p.call || late {
			continue
		}
		asked, err := s.Message(row.Request, row.Batch)
		if err != nil || string(asked.Method) == mcp.Ping || seen[string(asked.Method)] {
			continue
		}
		q := question{method: string(asked.Method), frames: []uint64{uint64(row.Request)}}
		var answer wire.Message
		if row.Response != 0 {
			answer, _ = s.Message(row.Response, row.RBatch)
			q.frames = append(q.frames, uint64(row.Response))
		}
		if replay.FindMask(answer.Raw) != "" {
			continue
		}
		q.take(&asked, &answer)
		seen[q.method] = true
		all = append(all, q)
	}
	return all
}

func (q *question) take(asked, answer *wire.Message) {
	of := "that the client "
	switch answer.Kind {
	case wire.MsgError:
		code := wire.Get(answer.Error, "code")
		q.member = fmt.Appendf(nil, `"error":%s`, answer.Error)
		q.legal = string(code) == "-1" // its user said no
		q.name = fmt.Sprintf("%s answered with error %s", q.method, code)
		q.cause = of + fmt.Sprintf("answers %s with error %s", q.method, code)
	case wire.MsgResult:
		q.member = fmt.Appendf(nil, `"result":%s`, answer.Result)
		q.legal = true
		action := wire.Text(wire.Get(answer.Result, "action"))
		q.name, q.cause = q.method+" answered as recorded", of+"answers "+q.method+" as it does"
		if action == "accept" {
			q.does = true
			content := wire.Get(answer.Result, "content")
			q.legal = content == nil || len(library.SchemaFaults(wire.Get(asked.Params, "requestedSchema"), content)) == 0
		}
		if action != "" {
			q.name, q.cause = q.method+" answered with "+action, of+"answers "+q.method+" with "+action
		}
		if !q.legal {
			q.cause += ", and what it accepts with does not fit the schema of the question"
		}
	default:
		q.name, q.cause = q.method+" not answered", of+"does not answer "+q.method
	}
}

// answers answers what a server asks in between: some questions as they were answered, all
// else as a client that can do little.
func answers(odd []question) func(m *wire.Message) []byte {
	return func(m *wire.Message) []byte {
		for _, q := range odd {
			switch {
			case q.method != string(m.Method):
			case q.member == nil:
				return nil
			default:
				return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,%s}`, m.ID, q.member)
			}
		}
		return asked(m)
	}
}

// asked answers what a server asks in between, as a client that can do little.
func asked(m *wire.Message) []byte {
	response := map[string]any{"jsonrpc": "2.0", "id": m.ID}
	switch string(m.Method) {
	case mcp.Ping:
		response["result"] = map[string]any{}
	case mcp.RootsList:
		response["result"] = map[string]any{"roots": []any{}}
	case mcp.ElicitationCreate:
		response["result"] = map[string]any{"action": "decline"}
	case mcp.SamplingCreateMessage:
		response["result"] = map[string]any{
			"role": "assistant", "model": "midwire-probe", "stopReason": "endTurn",
			"content": map[string]any{"type": "text", "text": "This is midwire, and no model."},
		}
	default:
		response["error"] = map[string]any{"code": mcp.CodeMethodNotFound, "message": "nobody is here to answer"}
	}
	return replay.Encode(response)
}
