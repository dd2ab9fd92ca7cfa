package mcp

import (
	"slices"
	"strings"
)

// Ids of the extensions that midwire knows: both sides declare them in
// capabilities.extensions.
const (
	ExtensionTasks  = MetaPrefix + "tasks"  // SEP-2663
	ExtensionSkills = MetaPrefix + "skills" // SEP-2640
	ExtensionApps   = MetaPrefix + "ui"     // SEP-1865
)

// Methods and notifications of extensions, besides those of tasks.
const (
	SkillsList    = "skills/list"
	SkillsGet     = "skills/get"
	DirectoryRead = "resources/directory/read" // of skills, with its setting directoryRead
)

// State is how far an extension is on its way.
type State string

// The states of extensions.
const (
	Final State = "final"
	Beta  State = "beta"  // its proposal is final, its specification not yet
	Draft State = "draft" // anything may change
)

// Extension is what the protocol's extensions have in common: a row of the table.
type Extension struct {
	ID    string
	Name  string // for people: "Skills"
	State State
	SEP   string // "SEP-2640"
	Link  string
	From  Version // the protocol version it is written for

	Methods       []ExtensionMethod
	Notifications []string
	Meta          []string // keys of _meta, or, with a / at the end, what they begin with
	Needs         []string // capabilities of a server that it does not do without
	Dialects      []string // where else in capabilities implementations declare it
	// Elsewhere says what of it does not go between client and server, and so is in no
	// recording; "" for nothing.
	Elsewhere string
}

// ExtensionMethod is a request of a client that an extension adds.
type ExtensionMethod struct {
	Name    string
	Target  string // the member of params that says what it is about, "" for none
	Member  string // of a list: the member of the result that holds it; "" for none
	Word    string // what one of its items is called
	Setting string // the setting of the server's capability that it needs, "" for none
}

// Extensions are those that midwire knows. They may be read only.
func Extensions() []Extension { return extensions }

// extensions is the table. What is to be known of the next one is a row here, its words
// in session/describe where a row has more to say than its target, and its rules.
var extensions = []Extension{
	{
		ID: ExtensionTasks, Name: "Tasks", State: Final, SEP: "SEP-2663", From: V20260728,
		Link: "https://modelcontextprotocol.io/seps/2663-tasks-extension",
		Methods: []ExtensionMethod{
			{Name: TasksGet, Target: "taskId"}, {Name: TasksUpdate, Target: "taskId"}, {Name: TasksCancel, Target: "taskId"},
		},
		Notifications: []string{NotifyTasks},
	},
	{
		ID: ExtensionSkills, Name: "Skills", State: Final, SEP: "SEP-2640", From: V20260728,
		Link: "https://modelcontextprotocol.io/seps/2640-skills-extension",
		Methods: []ExtensionMethod{
			{Name: SkillsList, Member: "skills", Word: "skill"},
			{Name: SkillsGet, Target: "uri"},
			{Name: DirectoryRead, Target: "uri", Member: "resources", Word: "file", Setting: "directoryRead"},
		},
		Meta:      []string{"io.modelcontextprotocol.skills/"},
		Needs:     []string{"resources"},
		Elsewhere: "What a host does with a skill, whether it asks its user and which digests it checks, is not on the wire.",
	},
	{
		ID: ExtensionApps, Name: "MCP Apps", State: Final, SEP: "SEP-1865", From: V20251125,
		Link: "https://modelcontextprotocol.io/seps/1865-mcp-apps-interactive-user-interfaces-for-mcp",
		Meta: []string{"ui", "ui/resourceUri"},
		Elsewhere: "What an app says to its host, ui/* and the rest, goes through the iframe and not between client and server. " +
			"Its calls of tools look like those of the model.",
	},
}

// ExtensionByID is the extension of an id, nil for one that midwire does not know.
func ExtensionByID(id string) *Extension {
	for i := range extensions {
		if extensions[i].ID == id {
			return &extensions[i]
		}
	}
	return nil
}

// ExtensionOf is the extension that has a method or notification, and of a method its
// row; nil for none.
func ExtensionOf(method string) (*Extension, *ExtensionMethod) {
	if !strings.Contains(method, "/") {
		return nil, nil
	}
	for i := range extensions {
		x := &extensions[i]
		if m := x.method(method); m != nil || slices.Contains(x.Notifications, method) {
			return x, m
		}
	}
	return nil, nil
}

func (x *Extension) method(name string) *ExtensionMethod {
	for i := range x.Methods {
		if x.Methods[i].Name == name {
			return &x.Methods[i]
		}
	}
	return nil
}
