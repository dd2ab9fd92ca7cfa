package mcp

// Target is the member of params that says what a request is about: the name
// of a tool or prompt, the URI of a resource, the id of a task. It is "" for
// methods that have none (the schemas of CallToolRequest and so on).
func Target(method string) string {
	switch method {
	case ToolsCall, PromptsGet:
		return "name"
	case ResourcesRead, ResourcesSubscribe, ResourcesUnsubscribe:
		return "uri"
	case TasksGet, TasksResult, TasksCancel, TasksUpdate:
		return "taskId"
	}
	if _, m := ExtensionOf(method); m != nil {
		return m.Target
	}
	return ""
}

// NameParam is the member of params that the header Mcp-Name repeats, "" for
// methods that do without (2026-07-28 basic/transports/streamable-http:
// Standard Request Headers; for tasks, SEP-2663).
func NameParam(method string) string {
	switch method {
	case ToolsCall, PromptsGet:
		return "name"
	case ResourcesRead:
		return "uri"
	case TasksGet, TasksUpdate, TasksCancel:
		return "taskId"
	}
	return ""
}

// ListChanges are the notifications of lists that have changed.
func ListChanges() [3]string {
	return [...]string{NotifyToolsListChanged, NotifyPromptsListChanged, NotifyResourcesListChanged}
}

// SubscriptionMember is the member of the filter of subscriptions/listen that asks for a
// notification, "" for one that no subscription brings (2026-07-28
// basic/patterns/subscriptions; SEP-2663).
func SubscriptionMember(notification string) string {
	switch notification {
	case NotifyToolsListChanged:
		return "toolsListChanged"
	case NotifyPromptsListChanged:
		return "promptsListChanged"
	case NotifyResourcesListChanged:
		return "resourcesListChanged"
	case NotifyResourcesUpdated:
		return "resourceSubscriptions"
	case NotifyTasks:
		return "taskIds"
	}
	return ""
}

// StaysOpen says whether a request is made for waiting: what it brings comes as
// notifications, and its response only says that no more come (2026-07-28
// basic/patterns/subscriptions).
func StaysOpen(method string) bool { return method == Listen }
