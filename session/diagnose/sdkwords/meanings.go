package sdkwords

import (
	_ "embed"
	"strings"
	"sync"
)

// Meaning is what an error text says. The set is closed: each has a name, which the
// table uses, a sentence, and the rules of midwire that explain it.
type Meaning uint8

// The meanings.
const (
	SessionUnknown Meaning = iota
	SessionEnded
	SessionIDMissing
	SessionInURL
	SessionForeign
	SessionUnused
	InitializeMissing
	NotInitialized
	AlreadyInitialized
	WrongEra
	VersionUnsupported
	VersionHeader
	HeaderMismatch
	MetaMissing
	NotAcceptable
	ContentType
	HostRejected
	OriginRejected
	MidwireRejected
	WrongEndpoint
	HTTPMethod
	MethodUnknown
	NotImplemented
	ToolUnknown
	PromptUnknown
	ResourceUnknown
	TaskUnknown
	Disabled
	BadParams
	CursorInvalid
	RequestStateInvalid
	CapabilityMissing
	Unauthorized
	TokenInvalid
	ScopeMissing
	Forbidden
	RateLimited
	TimedOut
	Cancelled
	ConnectionClosed
	ReconnectsExhausted
	BackendUnreachable
	Unavailable
	StreamGone
	StreamExists
	EventIDUnknown
	Unreadable
	BatchRefused
	BodyConsumed
	TooLarge
	HeadTooLarge
	IDInUse
	Internal
	// of what a server runs on or behind, see Platform
	ClientBanned
	ContentBlocked
	TunnelDown
	NoInstance
	CallerUnsigned
	RouteMissing
	FunctionFailed
	KeysLost
	PlainHTTP
	// of programs, the most telling first
	Prompted
	PathSplit
	ProgramUnknown
	PackageMissing
	EngineDown
	CacheUnusable
	BrowserMissing
	DisplayMissing
	ScriptMissing
	DependenciesUnfit
	LibcUnfit
	RuntimeUnfit
	ModuleMissing
	EncodingWrong
	PortInUse
	NameInUse
	HeldElsewhere
	OutOfMemory
	DiskFull
	CertificateRefused
	NotPermitted
	NoFolders
	OutsideFolders
	PathMissing
	FileMissing
	SettingMissing
	UsageWrong
	OutputUnfit
	ProbeFatal
	RespondsTwice
	LoopNested
	Defect
	ServesHTTP
	meanings // how many there are
)

//go:embed meanings.txt
var meaningsText string

// abouts are the name of each meaning, its sentence, and its rules: a line each, in order.
var abouts = sync.OnceValue(func() (all [][3]string) {
	for line := range strings.Lines(meaningsText) {
		all = append(all, [3]string(strings.Split(strings.TrimSpace(line), " | ")))
	}
	return all
})

// String is the name of a meaning in the table.
func (m Meaning) String() string { return abouts()[m][0] }

// Says is what the meaning is, in a sentence.
func (m Meaning) Says() string { return abouts()[m][1] }

// Meanings are all of them, in order.
func Meanings() (all []Meaning) {
	for m := range meanings {
		all = append(all, m)
	}
	return all
}

// Rules are the ids of the rules that explain it.
func (m Meaning) Rules() []string { return strings.Fields(abouts()[m][2]) }
