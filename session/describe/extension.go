package describe

import (
	"strings"

	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// extensionTarget says what a request of an extension is about; ok is false for one that
// is of none, and for one that names nothing.
func extensionTarget(method string, params []byte) (name, more string, ok bool) {
	_, m := mcp.ExtensionOf(method)
	if m == nil {
		return "", "", false
	}
	text := func(path ...string) string { return words.Line(wire.Text(wire.Get(params, path...)), 150) }
	if m.Target != "" {
		name = text(m.Target)
	}
	switch method {
	case mcp.EventsPoll, mcp.EventsStream, mcp.EventsSubscribe, mcp.EventsUnsubscribe:
		more = argument(wire.Get(params, "arguments"))
		if url := text("delivery", "url"); url != "" {
			more = words.Join(more, "to "+url)
		}
		if cursor := wire.Get(params, "cursor"); len(cursor) > 0 && string(cursor) != "null" {
			more = words.Join(more, "from cursor "+words.Clip(wire.Plain(cursor), 40))
		}
		return name, more, true
	}
	if text("cursor") != "" {
		more = "next page"
	}
	return name, more, true
}

// extensionResult says what came of a request of an extension, "" for one that is of none.
func extensionResult(method string, result []byte) string {
	_, m := mcp.ExtensionOf(method)
	if m == nil {
		return ""
	}
	text := func(path ...string) string { return words.Line(wire.Text(wire.Get(result, path...)), 150) }
	switch method {
	case mcp.SkillsList:
		return words.Join(listWords(result, m.Member, m.Word), namesOf(wire.Get(result, m.Member), "frontmatter", "name"))
	case mcp.SkillsGet:
		return manifestWords(wire.Get(result, "skill"))
	case mcp.EventsList:
		return listWords(result, m.Member, m.Word)
	case mcp.EventsPoll:
		s := listWords(result, m.Member, m.Word)
		if string(wire.Get(result, "hasMore")) == "true" {
			s += ", more follow"
		}
		return words.Join(s, skippedWords(result))
	case mcp.EventsStream:
		return "the stream ended"
	case mcp.EventsSubscribe:
		return subscribedWords(result)
	case mcp.EventsUnsubscribe:
		return "unsubscribed"
	case mcp.TasksGet, mcp.TasksCancel:
		return words.Join(text("status")+text("task", "status"), text("statusMessage"))
	}
	if m.Member != "" {
		return listWords(result, m.Member, m.Word)
	}
	return ""
}

// namesOf are the names of the items of a list, which are at a path in each.
func namesOf(list []byte, path ...string) string {
	var all []string
	wire.Items(list, func(_ int, item []byte) bool {
		if name := words.Line(wire.Text(wire.Get(item, path...)), 40); name != "" {
			all = append(all, name)
		}
		return len(all) < 8
	})
	return strings.Join(all, ", ")
}

// manifestWords says what a skill is made of.
func manifestWords(skill []byte) string {
	name := words.Line(wire.Text(wire.Get(skill, "frontmatter", "name")), 60)
	files := wire.Get(skill, "resources")
	switch {
	case wire.Text(files) == "dynamic":
		return words.Join(name, "dynamic: without digests")
	case !wire.IsArray(files):
		return words.Join(name, "without a manifest")
	}
	total := int64(0)
	wire.Items(files, func(_ int, file []byte) bool {
		n, _ := wire.Int(wire.Get(file, "size"))
		total += max(n, 0)
		return total < 1<<40
	})
	return words.Join(name, words.Count(count(files), "file")+", "+words.Size(int(total)))
}

// subscribedWords says what a webhook subscription was granted, and how it does.
func subscribedWords(result []byte) string {
	text := func(path ...string) string { return words.Line(wire.Text(wire.Get(result, path...)), 60) }
	s := text("id")
	switch until := wire.Get(result, "refreshBefore"); {
	case string(until) == "null":
		s = words.Join(s, "without an end")
	case len(until) > 0:
		s = words.Join(s, "until "+text("refreshBefore"))
	}
	if string(wire.Get(result, "deliveryStatus", "active")) == "false" {
		s = words.Join(s, "delivery was suspended: "+text("deliveryStatus", "lastError"))
	}
	return words.Join(s, skippedWords(result))
}

// skippedWords says that a subscription goes on from another place than the client asked.
func skippedWords(object []byte) string {
	if string(wire.Get(object, "truncated")) == "true" {
		return "truncated: events were skipped"
	}
	return ""
}

// eventWords says what a notification of events is about; ok is false for any other.
func eventWords(method string, params []byte) (target string, ok bool) {
	if !strings.HasPrefix(method, mcp.NotifyEvents) {
		return "", false
	}
	of := ""
	if id := wire.Get(params, "_meta", mcp.MetaSubscriptionID); len(id) > 0 {
		of = "of subscription " + words.Clip(wire.Plain(id), 20)
	}
	switch method {
	case mcp.NotifyEvent:
		target = occurrenceWords(params)
	case mcp.NotifyEventsActive:
		target = words.Join("subscribed", skippedWords(params))
	case mcp.NotifyEventsError:
		target = words.Join("failed, and goes on:", errorWords(wire.Get(params, "error")))
	case mcp.NotifyEventsTerminated:
		target = words.Join("ended by the server:", errorWords(wire.Get(params, "error")))
	case mcp.NotifyEventsListChanged:
		return "", true
	}
	return words.Join(target, of), true
}

// occurrenceWords names an event: its type, its id, and what of its data says most.
func occurrenceWords(event []byte) string {
	text := func(member string) string { return words.Line(wire.Text(wire.Get(event, member)), 60) }
	return words.Join(words.Join(text("name"), text("eventId")), argument(wire.Get(event, "data")))
}
