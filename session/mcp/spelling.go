package mcp

import (
	"slices"
	"strings"
	"unicode"

	"midwire/session/words"
)

// methodNames are all methods of all protocol versions.
var methodNames = []string{
	Initialize, Ping, LogSetLevel, Complete, ToolsList, ToolsCall, PromptsList, PromptsGet,
	ResourcesList, ResourceTemplatesList, ResourcesRead, ResourcesSubscribe, ResourcesUnsubscribe,
	RootsList, SamplingCreateMessage, ElicitationCreate,
	TasksGet, TasksResult, TasksList, TasksCancel, TasksUpdate, Discover, Listen,
	NotifyInitialized, NotifyCancelled, NotifyProgress, NotifyMessage,
	NotifyToolsListChanged, NotifyPromptsListChanged, NotifyResourcesListChanged, NotifyResourcesUpdated,
	NotifyRootsListChanged, NotifyElicitationComplete, NotifyTasksStatus, NotifyTasks, NotifyAcknowledged,

	SkillsList, SkillsGet, DirectoryRead,
}

// Known says whether a protocol version or an extension has a method of that name.
func Known(method string) bool { return slices.Contains(methodNames, method) }

// Misspelled returns the method that was meant by one that the protocol does not have:
// one of the same words in another case, order or number, with other signs between
// them, or with or without what marks a notification. It returns "" for a method that
// exists, and for one that is like none.
func Misspelled(method string, notification bool) string {
	const longest = 60
	if len(method) > longest || Known(method) || notification && method == "message" {
		return ""
	}
	meant := spelling(method)
	for _, name := range methodNames {
		if strings.HasPrefix(name, NotificationPrefix) == notification && spelling(name) == meant {
			return name
		}
	}
	return ""
}

// spelling is what methods have in common that differ in no more than Misspelled says.
func spelling(method string) string {
	var parts []string
	word := ""
	end := func() {
		switch word = strings.TrimSuffix(word, "s"); word {
		case "", "notification", "notify", "mcp", "request", "rpc":
		default:
			parts = append(parts, word)
		}
		word = ""
	}
	small := false
	for _, r := range method {
		if !unicode.IsLetter(r) || small && unicode.IsUpper(r) {
			end()
		}
		if small = unicode.IsLower(r); unicode.IsLetter(r) {
			word += words.Fold(string(r))
		}
	}
	end()
	slices.Sort(parts)
	return strings.Join(parts, " ")
}
