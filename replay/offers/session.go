package offers

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"midwire/replay"
	"midwire/replay/resilience"
	"midwire/session/mcp"
	"midwire/session/wire"
)

type session struct {
	*Server
	mu       sync.Mutex // guards all below
	version  string
	able     map[string]json.RawMessage      // capabilities of the client
	waiting  map[string]chan<- *wire.Message // our requests, by id
	ids      int
	told     bool         // of changed tools
	aside    func([]byte) // takes what belongs to no request, nil for nothing
	held     []byte       // response that waits for its stream to be resumed
	delivery string       // id of that stream
}

func (s *Server) session() *session {
	return &session{Server: s, waiting: map[string]chan<- *wire.Message{}}
}

// received takes what gets no response.
func (c *session) received(m *wire.Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if to := c.waiting[string(m.ID)]; m.IsResponse() && to != nil {
		delete(c.waiting, string(m.ID))
		close(to)
	}
}

// patience is how long a client may take to answer a question.
const patience = 5 * time.Second

// question asks the client during one of its calls, and waits for what it says.
func (c *session) question(out func([]byte), method, params string) {
	answered := make(chan *wire.Message)
	c.mu.Lock()
	c.ids++
	id := `"midwire-` + strconv.Itoa(c.ids) + `"`
	c.waiting[id] = answered
	c.mu.Unlock()
	out([]byte(`{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + c.mark() + params + `}}`))
	select {
	case <-answered:
	case <-time.After(patience):
	}
}

func (c *session) notify(out func([]byte), method, params string) {
	out([]byte(`{"jsonrpc":"2.0","method":"` + method + `","params":{` + c.mark() + params + `}}`))
}

// mark is the member that says that a message belongs to the offer. Something follows it.
func (c *session) mark() string { return `"_meta":{"` + resilience.OfferMark + `":"` + c.Offer + `"},` }

// respond is the response to a request. What comes before it goes to out.
func (c *session) respond(m *wire.Message, out func([]byte)) []byte {
	result := ""
	switch string(m.Method) {
	case mcp.Initialize:
		result = c.initialize(m)
	case mcp.Ping:
		result = `{}`
	case mcp.ToolsList:
		result = c.list(wire.Text(wire.Get(m.Params, "cursor")))
	case mcp.ToolsCall:
		result = c.call(m, out)
	case mcp.LogSetLevel:
		if c.Offer == "log-messages" {
			result = `{}`
		}
	case mcp.TasksGet:
		result = c.task(m)
	}
	if result == "" {
		return replay.Refusal(m.ID, mcp.CodeMethodNotFound, "method not found")
	}
	if strings.HasPrefix(result, `"error"`) {
		return replay.Reply(m.ID, result)
	}
	if c.Offer == "json-spelling" {
		return fmt.Appendf(nil, " {\t\"r\\u0065sult\" : %s ,\"id\": %s , \"jsonrpc\":\"2\\u002e0\" } ", result, m.ID)
	}
	return replay.Reply(m.ID, `"result":`+result)
}

// atLeast reports whether the session has this version or a later one.
func (c *session) atLeast(v mcp.Version) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.version >= string(v)
}

func (c *session) initialize(m *wire.Message) string {
	version := mcp.Version(wire.Text(wire.Get(m.Params, "protocolVersion")))
	if !slices.Contains(mcp.Versions(), version) || version.IsModern() {
		version = mcp.LastHandshake
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version, c.able = string(version), nil
	_ = json.Unmarshal(wire.Get(m.Params, "capabilities"), &c.able) // what is no object declares nothing
	able := `"tools":{}`
	switch c.Offer {
	case "list-changed":
		able = `"tools":{"listChanged":true}`
	case "log-messages":
		able += `,"logging":{}`
	case "failed-task":
		if version >= mcp.LastHandshake {
			able += `,"tasks":{"requests":{"tools":{"call":{}}}}`
		}
	case "unknown-members":
		able += `,"com.example/more":{"deep":[null,{"x":1e3}]}`
	}
	return `{` + c.more() + `"protocolVersion":"` + string(version) + `","capabilities":{` + able +
		`},"serverInfo":{"name":"midwire-offers","version":"1.0.0"}}`
}

// more are members that no version defines, where these are the offer.
func (c *session) more() string {
	if c.Offer != "unknown-members" {
		return ""
	}
	return c.mark() + `"com.example/later":{"since":"2031-01-01","list":[1,"two",null]},"laterMember":true,`
}

func (c *session) list(cursor string) string {
	names := []string{"echo"}
	for _, name := range c.Tools {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	var all []string
	for _, name := range names {
		quoted, _ := json.Marshal(name)
		tool := `{` + c.more() + `"name":` + string(quoted) + `,"description":"Says what it is told.","inputSchema":{"type":"object","properties":{}}`
		if c.Offer == "failed-task" && c.atLeast(mcp.LastHandshake) {
			tool += `,"execution":{"taskSupport":"optional"}`
		}
		all = append(all, tool+`,"annotations":{"readOnlyHint":true}}`)
	}
	tools := strings.Join(all, ",")
	if c.Offer != "pages" {
		return `{` + c.more() + `"tools":[` + tools + `]}`
	}
	const second, third = "page 2 ==&?/\u00fc", "3"
	switch cursor {
	case "":
		return `{` + c.mark() + `"tools":[{"name":"first","inputSchema":{"type":"object","properties":{}}}],"nextCursor":"` + second + `"}`
	case second:
		return `{` + c.mark() + `"tools":[],"nextCursor":"` + third + `"}`
	case third:
		return `{` + c.mark() + `"tools":[` + tools + `]}`
	}
	return `"error":{"code":-32602,"message":"no such cursor"}`
}

const text = `{"type":"text","text":"Hello."}`

// call is the result of a tool: whichever it is, it says hello.
func (c *session) call(m *wire.Message, out func([]byte)) string {
	content := text
	switch c.Offer {
	case "list-changed":
		c.changed()
	case "slow-call":
		c.slow(m, out)
	case "empty-content":
		return `{` + c.mark() + `"content":[]}`
	case "mixed-content":
		return `{` + c.mark() + `"content":[` + c.mixed() + `]}`
	case "json-spelling":
		content = `{ "\u0074ype" :"te\u0078t","te\u0078t" : "\u00e9\ud83d\ude00 \/ \u0000 \u2028", "_meta":{"n":12345678901234567890,"f":-0.0e-7} }`
		return "{\n" + c.mark() + " \"content\"\t:[ " + content + "\r\n ] }"
	case "unknown-notification":
		c.notify(out, "notifications/com.example/weather", `"wind":"north"`)
	case "log-messages":
		for _, level := range [...]string{"debug", "info", "warning", "error"} {
			c.notify(out, mcp.NotifyMessage, `"level":"`+level+`","logger":"midwire","data":{"step":"`+level+`"}`)
		}
	case "failed-task":
		if wire.Get(m.Params, "task") != nil {
			return `{` + c.mark() + `"task":` + c.taskOf("working", "") + `}`
		}
	default:
		c.asks(out)
	}
	return `{` + c.more() + `"content":[` + content + `]}`
}

func (c *session) asks(out func([]byte)) {
	if c.Offer == "ping" {
		c.question(out, mcp.Ping, `"com.example/now":true`)
		return
	}
	c.mu.Lock()
	able := c.able[c.Offer] != nil
	c.mu.Unlock()
	if !able {
		return // which includes that it asks nothing
	}
	switch c.Offer {
	case "roots":
		c.question(out, mcp.RootsList, `"com.example/now":true`)
	case "sampling":
		c.question(out, mcp.SamplingCreateMessage,
			`"messages":[{"role":"user","content":{"type":"text","text":"Say hello."}}],"maxTokens":10`)
	case "elicitation":
		c.question(out, mcp.ElicitationCreate, `"message":"Which colour?","requestedSchema":{"type":"object","properties":`+
			`{"colour":{"type":"string","enum":["red","green"]}},"required":["colour"]}`)
	}
}

// changed says that the tools have changed, once.
func (c *session) changed() {
	c.mu.Lock()
	out := c.aside
	tell := out != nil && !c.told
	c.told = c.told || tell
	c.mu.Unlock()
	if tell {
		c.notify(out, mcp.NotifyToolsListChanged, `"com.example/now":true`)
	}
}

// slow takes its time, with progress if the client wants that.
func (c *session) slow(m *wire.Message, out func([]byte)) {
	const steps = 5
	token := wire.Get(m.Params, "_meta", mcp.MetaProgressToken)
	for n := range steps {
		time.Sleep(c.Slow / steps)
		if token != nil {
			c.notify(out, mcp.NotifyProgress, fmt.Sprintf(`"progressToken":%s,"progress":%d.5,"total":%d`, token, n, steps))
		}
	}
	if token == nil {
		c.notify(out, "notifications/com.example/slow", `"progress":false`)
	}
}

// mixed are blocks of all kinds that the version has.
func (c *session) mixed() string {
	const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg=="
	blocks := []string{
		text, `{"type":"image","data":"` + dot + `","mimeType":"image/png"}`,
		`{"type":"resource","resource":{"uri":"offers://one","mimeType":"text/plain","text":"one"}}`,
	}
	if c.atLeast(mcp.V20250326) {
		blocks = append(blocks, `{"type":"audio","data":"UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=","mimeType":"audio/wav"}`)
	}
	if c.atLeast(mcp.V20250618) {
		blocks = append(blocks, `{"type":"resource_link","uri":"offers://two","name":"two"}`)
	}
	return strings.Join(blocks, ",")
}

// taskOf is the one task that there is.
func (c *session) taskOf(status, message string) string {
	now := time.Now().UTC().Format(time.RFC3339)
	if message != "" {
		message = `,"statusMessage":"` + message + `"`
	}
	return `{"taskId":"offer-1","status":"` + status + `"` + message + `,"createdAt":"` + now + `","lastUpdatedAt":"` + now +
		`","ttl":60000,"pollInterval":100}`
}

func (c *session) task(m *wire.Message) string {
	if c.Offer != "failed-task" || wire.Text(wire.Get(m.Params, "taskId")) != "offer-1" {
		return `"error":{"code":-32602,"message":"no such task"}`
	}
	task := c.taskOf("failed", "out of paper")
	return `{` + c.mark() + task[1:]
}
