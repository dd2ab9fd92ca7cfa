package mcp

// Life cycle and utilities of the versions with a handshake
// (2025-11-25 basic/lifecycle, basic/utilities).
const (
	Initialize  = "initialize"
	Ping        = "ping"
	LogSetLevel = "logging/setLevel" // server/utilities/logging
	Complete    = "completion/complete"

	NotifyInitialized = "notifications/initialized"
	NotifyCancelled   = "notifications/cancelled"
	NotifyProgress    = "notifications/progress"
	NotifyMessage     = "notifications/message" // server/utilities/logging
)

// What a server offers (2025-11-25 server/tools, server/prompts,
// server/resources).
const (
	ToolsList             = "tools/list"
	ToolsCall             = "tools/call"
	PromptsList           = "prompts/list"
	PromptsGet            = "prompts/get"
	ResourcesList         = "resources/list"
	ResourceTemplatesList = "resources/templates/list"
	ResourcesRead         = "resources/read"
	ResourcesSubscribe    = "resources/subscribe"   // until 2025-11-25
	ResourcesUnsubscribe  = "resources/unsubscribe" // until 2025-11-25

	NotifyToolsListChanged     = "notifications/tools/list_changed"
	NotifyPromptsListChanged   = "notifications/prompts/list_changed"
	NotifyResourcesListChanged = "notifications/resources/list_changed"
	NotifyResourcesUpdated     = "notifications/resources/updated"
)

// What a client offers (2025-11-25 client/roots, client/sampling,
// client/elicitation). From 2026-07-28 these are not separate messages, but
// entries of inputRequests (2026-07-28 basic/patterns/mrtr).
const (
	RootsList             = "roots/list"
	SamplingCreateMessage = "sampling/createMessage"
	ElicitationCreate     = "elicitation/create" // from 2025-06-18

	NotifyRootsListChanged    = "notifications/roots/list_changed"
	NotifyElicitationComplete = "notifications/elicitation/complete" // 2025-11-25
)

// Tasks (2025-11-25 basic/utilities/tasks; from 2026-07-28 the extension
// io.modelcontextprotocol/tasks, SEP-2663).
const (
	TasksGet    = "tasks/get"
	TasksResult = "tasks/result" // 2025-11-25
	TasksList   = "tasks/list"   // 2025-11-25
	TasksCancel = "tasks/cancel"
	TasksUpdate = "tasks/update" // extension

	NotifyTasksStatus = "notifications/tasks/status" // 2025-11-25
	NotifyTasks       = "notifications/tasks"        // extension
)

// What 2026-07-28 has in place of a handshake and of streams without a request
// (2026-07-28 server/discover, basic/patterns/subscriptions).
const (
	Discover = "server/discover"
	Listen   = "subscriptions/listen"

	NotifyAcknowledged = "notifications/subscriptions/acknowledged"
)

// NotificationPrefix is what the names of all notifications begin with.
const NotificationPrefix = "notifications/"
