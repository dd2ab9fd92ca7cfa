package describe

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"midwire/session"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// callTarget says what a request is about: the name of what it calls, and its
// most important parameters.
func callTarget(method string, params []byte) (name, more string) {
	text := func(path ...string) string { return words.Line(wire.Text(wire.Get(params, path...)), 150) }
	switch method {
	case mcp.Initialize:
		return "", Peer(session.ReadPeer(wire.Get(params, "clientInfo")))
	case mcp.Discover:
		return "", Peer(session.ReadPeer(wire.Get(params, "_meta", mcp.MetaClientInfo)))
	case mcp.ToolsCall, mcp.PromptsGet:
		more = argument(wire.Get(params, "arguments"))
		if wire.Get(params, "inputResponses") != nil {
			more = words.Join(more, "again, with input")
		}
		return text("name"), more
	case mcp.ResourcesRead, mcp.ResourcesSubscribe, mcp.ResourcesUnsubscribe:
		return text("uri"), ""
	case mcp.Complete:
		name = text("ref", "name") + text("ref", "uri")
		return name, assign(text("argument", "name"), wire.Get(params, "argument", "value"))
	case mcp.SamplingCreateMessage:
		return "", words.Count(count(wire.Get(params, "messages")), "message")
	case mcp.ElicitationCreate:
		return "", words.Join(text("message"), text("url"))
	case mcp.LogSetLevel:
		return "", text("level")
	case mcp.TasksGet, mcp.TasksResult, mcp.TasksCancel, mcp.TasksUpdate:
		return "", text("taskId")
	case mcp.Listen:
		return "", filterWords(wire.Get(params, "notifications"))
	case mcp.ToolsList, mcp.PromptsList, mcp.ResourcesList, mcp.ResourceTemplatesList, mcp.TasksList:
		if text("cursor") != "" {
			return "", "next page"
		}
		return "", ""
	}
	if name, more, ok := extensionTarget(method, params); ok {
		return name, more
	}
	return "", argument(params)
}

// callResult says what came of a request that got a result.
func callResult(method string, result []byte) string {
	text := func(path ...string) string { return words.Line(wire.Text(wire.Get(result, path...)), 150) }
	switch text("resultType") {
	case "input_required":
		return inputWords(wire.Get(result, "inputRequests"))
	case "task":
		return words.Join(words.Join("task", text("taskId")), text("status"))
	}
	switch method {
	case mcp.Initialize:
		return welcome(result)
	case mcp.Discover:
		return texts(wire.Get(result, "supportedVersions"))
	case mcp.ToolsList:
		return listWords(result, "tools", "tool")
	case mcp.PromptsList:
		return listWords(result, "prompts", "prompt")
	case mcp.ResourcesList:
		return listWords(result, "resources", "resource")
	case mcp.ResourceTemplatesList:
		return listWords(result, "resourceTemplates", "template")
	case mcp.RootsList:
		return listWords(result, "roots", "root")
	case mcp.TasksList:
		return listWords(result, "tasks", "task")
	case mcp.ToolsCall, mcp.TasksResult:
		return toolWords(result)
	case mcp.ResourcesRead:
		return contentsWords(wire.Get(result, "contents"))
	case mcp.PromptsGet:
		return words.Count(count(wire.Get(result, "messages")), "message")
	case mcp.Complete:
		return words.Count(count(wire.Get(result, "completion", "values")), "value")
	case mcp.SamplingCreateMessage:
		return words.Join(contentWords(wire.Get(result, "content")), text("model"))
	case mcp.ElicitationCreate:
		return text("action")
	}
	if said := extensionResult(method, result); said != "" {
		return said
	}
	if len(result) <= len(`{}`) {
		return "ok"
	}
	return members(result)
}

// welcome is what a server says of itself: who it is, what it can do, which version of
// the protocol it speaks.
func welcome(result []byte) string {
	all := make([]string, 0, 8)
	if name := Peer(session.ReadPeer(wire.Get(result, "serverInfo"))); name != "" {
		all = append(all, name)
	}
	wire.Each(wire.Get(result, "capabilities"), func(key, _ []byte) bool {
		all = append(all, words.Clip(string(key), 20))
		return len(all) < 5
	})
	return strings.Join(append(all, words.Line(wire.Text(wire.Get(result, "protocolVersion")), 20)), ", ")
}

// notificationTarget says what a notification is about.
func notificationTarget(method string, params []byte) string {
	text := func(path ...string) string { return words.Line(wire.Text(wire.Get(params, path...)), 150) }
	switch method {
	case mcp.NotifyProgress:
		step := number(wire.Get(params, "progress"))
		if total := number(wire.Get(params, "total")); total != "" {
			step += "/" + total
		}
		return words.Join(step, text("message"))
	case mcp.NotifyCancelled:
		return words.Join("id "+wire.Plain(wire.Get(params, "requestId")), text("reason"))
	case mcp.NotifyMessage:
		data := wire.Get(params, "data")
		return words.Join(words.Join(text("level"), text("logger")), words.Line(wire.Plain(data), 150))
	case mcp.NotifyResourcesUpdated:
		return text("uri")
	case mcp.NotifyTasks, mcp.NotifyTasksStatus:
		return words.Join(text("taskId"), text("status"))
	case mcp.NotifyElicitationComplete:
		return text("elicitationId")
	case mcp.NotifyAcknowledged:
		return filterWords(wire.Get(params, "notifications"))
	}
	return argument(params)
}

// important are names of arguments that say most, in order.
var important = [...]string{
	"query", "q", "path", "file_path", "uri", "url", "command", "cmd", "name", "pattern", "id",
	"text", "message", "prompt", "code", "sql",
}

// argument is what a call is given: what says most first, the rest as it stands.
func argument(args []byte) string {
	const most = 6
	best, bestRank := -1, len(important)
	var all []string
	wire.Each(args, func(key, value []byte) bool {
		if string(key) == "_meta" {
			return true
		}
		rank := slices.Index(important[:], string(key))
		if plain := value[0] != '{' && value[0] != '['; plain && rank >= 0 && rank < bestRank {
			best, bestRank = len(all), rank
		}
		all = append(all, assign(string(key), value))
		return len(all) < most
	})
	if best > 0 {
		first := all[best]
		all = slices.Insert(slices.Delete(all, best, best+1), 0, first)
	}
	return words.Clip(strings.Join(all, " "), MaxRow)
}

// members is what a JSON value says at a glance: what its members are.
func members(raw []byte) string {
	if raw = bytes.TrimSpace(raw); len(raw) > 0 && raw[0] == '{' {
		return argument(raw)
	}
	return short(raw)
}

// short is a value in a few words: what is in a container is counted.
func short(value []byte) string {
	switch {
	case len(value) == 0:
		return ""
	case value[0] == '"':
		return `"` + words.Line(wire.TextStart(value, 240), 60) + `"`
	case value[0] == '[':
		return words.Count(count(value), "item")
	case value[0] == '{':
		return "{" + words.Size(len(value)) + "}"
	}
	return words.Clip(string(value), 60)
}

func assign(name string, value []byte) string {
	if name == "" && len(value) > 0 && value[0] != '"' {
		return ""
	}
	return words.Clip(name, 40) + "=" + short(value)
}

// toolWords says what a tool returned.
func toolWords(result []byte) string {
	var content, structured []byte
	failed := false
	wire.Each(result, func(key, value []byte) bool { // once: a result may be huge
		switch string(key) {
		case "content":
			content = value
		case "structuredContent":
			structured = value
		case "isError":
			failed = string(value) == "true"
		}
		return true
	})
	var first []byte
	n := 0
	wire.Items(content, func(i int, v []byte) bool {
		if n++; i == 0 {
			first = v
		}
		return true
	})
	switch {
	case failed:
		if text := wire.TextStart(wire.Get(first, "text"), 1000); text != "" {
			return "failed: " + words.Line(text, 120)
		}
		return "failed"
	case n > 1:
		return words.Count(n, "item") + ": " + contentWords(first)
	case n == 1:
		return contentWords(first)
	case structured != nil:
		return members(structured)
	}
	return "nothing"
}

// contentWords says what one content block is. A short text is shown.
func contentWords(block []byte) string {
	if len(block) > 0 && block[0] == '[' {
		return words.Count(count(block), "item")
	}
	kind := wire.Text(wire.Get(block, "type"))
	switch kind {
	case "text":
		return textWords(wire.Get(block, "text"))
	case "image", "audio":
		return kind + " " + words.Size(decoded(wire.Get(block, "data")))
	case "resource":
		return words.Join("resource", words.Line(wire.Text(wire.Get(block, "resource", "uri")), 100))
	case "resource_link":
		return words.Join("link", words.Line(wire.Text(wire.Get(block, "uri")), 100))
	}
	return words.Clip(kind, 60)
}

// textWords is the beginning of a text; of JSON in it the members.
func textWords(raw []byte) string {
	const most = 120
	text := wire.TextStart(raw, 4*most)
	if len(text) < 4*most && len(text) > 1 && (text[0] == '{' || text[0] == '[') && json.Valid([]byte(text)) {
		return members([]byte(text))
	}
	if line := words.Line(text, most); line != "" {
		return `"` + line + `"`
	}
	return "text " + words.Size(wire.TextLen(raw))
}

// decoded is about how many bytes a JSON string of base64 stands for.
func decoded(raw []byte) int { return max(len(raw)-len(`""`), 0) * 3 / 4 }

func contentsWords(contents []byte) string {
	n := count(contents)
	if n != 1 {
		return words.Count(n, "item")
	}
	var first []byte
	wire.Items(contents, func(_ int, v []byte) bool { first = v; return false })
	if blob := wire.Get(first, "blob"); blob != nil {
		return "blob " + words.Size(decoded(blob))
	}
	return textWords(wire.Get(first, "text"))
}

func listWords(result []byte, member, word string) string {
	list := wire.Get(result, member)
	s := words.Count(count(list), word)
	if len(wire.Get(result, "nextCursor")) > len(`""`) {
		s += ", more follow"
	}
	if names := namesOf(list, "name"); names != "" {
		s += ": " + names
	}
	return words.Clip(s, MaxRow)
}

func inputWords(requests []byte) string {
	var methods []string
	wire.Each(requests, func(_, value []byte) bool {
		methods = append(methods, wire.Text(wire.Get(value, "method")))
		return len(methods) < 4
	})
	return words.Join("needs input:", strings.Join(methods, ", "))
}

// filterWords names what a subscription asks for.
func filterWords(filter []byte) string {
	var all []string
	wire.Each(filter, func(key, value []byte) bool {
		if string(value) != "false" {
			all = append(all, strings.TrimSuffix(string(key), "ListChanged"))
		}
		return len(all) < 8
	})
	return strings.Join(all, ", ")
}

func texts(array []byte) string {
	var all []string
	wire.Items(array, func(_ int, v []byte) bool {
		all = append(all, words.Clip(wire.Text(v), 40))
		return len(all) < 8
	})
	return strings.Join(all, ", ")
}

func count(array []byte) int {
	n := 0
	wire.Items(array, func(int, []byte) bool { n++; return true })
	return n
}

// number writes a JSON number with at most two decimals.
func number(raw []byte) string {
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return words.Clip(string(raw), 20)
	}
	s := strconv.FormatFloat(f, 'f', 2, 64)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}
