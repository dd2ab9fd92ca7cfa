package sdkwords

import "strings"

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
	ScriptMissing
	DependenciesUnfit
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

// about is what is said of a meaning.
type about struct{ name, says, rules string }

var abouts = [meanings]about{
	SessionUnknown:      {"session-unknown", "The server does not know the session id that was sent.", "session-not-renewed session-replicas session-unknown-status initialize-with-dead-id sse-session-over"},
	SessionEnded:        {"session-ended", "The session was ended, or has expired.", "session-not-renewed session-unknown-status sse-session-over session-leftovers"},
	SessionIDMissing:    {"session-id-missing", "The request lacks the session id.", "session-header-missing missing-id-wrong-status cors-session-id-hidden streamable-url-as-sse"},
	SessionInURL:        {"session-in-url", "This is the HTTP+SSE endpoint of 2024-11-05: the session id belongs in its URL.", "wrong-url sse-session-over streamable-url-as-sse"},
	SessionForeign:      {"session-foreign", "The session belongs to another user or credential.", "session-two-credentials gateway-session-shared"},
	SessionUnused:       {"session-unused", "A session id was sent where none is allowed.", "initialize-with-dead-id session-id-ignored"},
	InitializeMissing:   {"initialize-missing", "No initialize has reached this server or this transport.", "handshake-skipped handshake-forgotten handshake-race session-replicas modern-client-legacy-server"},
	NotInitialized:      {"not-initialized", "The handshake is missing, or not complete.", "handshake-skipped handshake-race handshake-forgotten initialized-missing"},
	AlreadyInitialized:  {"already-initialized", "The server is already initialized and accepts no second initialize.", "transport-shared initialize-twice"},
	WrongEra:            {"wrong-era", "The connection has a handshake and the request has none, or the reverse.", "modern-client-legacy-server legacy-client-modern-server"},
	VersionUnsupported:  {"version-unsupported", "The protocol version is not supported.", "version-refused version-header-refused version-refusal-bare bad-version-accepted"},
	VersionHeader:       {"version-header", "The header with the protocol version is missing or wrong.", "version-header-missing version-header-differs version-header-refused"},
	HeaderMismatch:      {"header-mismatch", "A header and the body contradict each other, or a header of 2026-07-28 is missing.", "header-body-mismatch modern-header-missing param-header-wrong"},
	MetaMissing:         {"meta-missing", "The request lacks members of _meta that 2026-07-28 requires.", "envelope-incomplete"},
	NotAcceptable:       {"not-acceptable", "The Accept header does not list what the server requires.", "accept-incomplete not-acceptable"},
	ContentType:         {"content-type", "The Content-Type is not the expected one.", "media-type-refused wrong-content-type"},
	HostRejected:        {"host-rejected", "The server does not accept the Host of the request (protection against DNS rebinding).", "host-rejected"},
	OriginRejected:      {"origin-rejected", "The server does not accept the Origin of the request.", "host-rejected origin-wrong-status endpoint-origin-differs"},
	MidwireRejected:     {"midwire-rejected", "midwire itself refused the request: its Host or Origin is not local.", "host-rejected"},
	WrongEndpoint:       {"wrong-endpoint", "There is no MCP endpoint at this URL.", "wrong-url endpoint-unreachable streamable-url-as-sse"},
	HTTPMethod:          {"http-method", "The endpoint does not accept this HTTP method.", "wrong-http-method allow-header-missing"},
	MethodUnknown:       {"method-unknown", "There is no such JSON-RPC method.", "advertised-not-implemented server-capability-missing ping-refused"},
	NotImplemented:      {"not-implemented", "It is announced but not implemented.", "advertised-not-implemented"},
	ToolUnknown:         {"tool-unknown", "There is no tool of this name.", "listed-unknown name-not-listed list-pages-unread"},
	PromptUnknown:       {"prompt-unknown", "There is no prompt of this name.", "listed-unknown name-not-listed list-pages-unread"},
	ResourceUnknown:     {"resource-unknown", "There is no resource with this URI.", "listed-unknown name-not-listed legacy-error-code"},
	TaskUnknown:         {"task-unknown", "There is no task with this id.", "task-left-end task-payload-missing"},
	Disabled:            {"disabled", "The tool, prompt or resource exists but is disabled.", "request-refused"},
	BadParams:           {"bad-params", "The parameters or arguments are not valid.", "tool-arguments-invalid request-refused"},
	CursorInvalid:       {"cursor-invalid", "The cursor is not one that the server issued.", "cursor-altered cursor-error-code"},
	RequestStateInvalid: {"request-state-invalid", "The requestState was altered, or is too old.", "request-state-wrong"},
	CapabilityMissing:   {"capability-missing", "The other side did not declare the capability.", "server-capability-missing client-capability-missing"},
	Unauthorized:        {"unauthorized", "The request carries no credential.", "credential-refused challenge-missing oauth-metadata-missing"},
	TokenInvalid:        {"token-invalid", "The credential is not valid, or has expired.", "credential-refused credential-loop"},
	ScopeMissing:        {"scope-missing", "The credential lacks a scope.", "scope-challenge-incomplete request-forbidden"},
	Forbidden:           {"forbidden", "A policy forbids it, whatever the credential.", "request-forbidden"},
	RateLimited:         {"rate-limited", "There were too many requests.", "rate-limited"},
	TimedOut:            {"timed-out", "A response did not come in time.", "client-timeout server-stuck question-unanswered gateway-slow server-unavailable"},
	Cancelled:           {"cancelled", "The request was cancelled.", "server-cancelled-call cancelled-unknown-request"},
	ConnectionClosed:    {"connection-closed", "The connection or the process ended while something was pending.", "server-exited stream-ended-early unanswered-request"},
	ReconnectsExhausted: {"reconnects-exhausted", "The client gave up reconnecting its event stream.", "stream-loop stream-idle-closed stream-refused"},
	BackendUnreachable:  {"backend-unreachable", "The server could not be reached, often by the gateway in front of it.", "server-unavailable"},
	Unavailable:         {"unavailable", "The server is shutting down, or accepts no more sessions.", "server-unavailable"},
	StreamGone:          {"stream-gone", "The event stream that the session lives in is not open.", "sse-session-over streamable-url-as-sse"},
	StreamExists:        {"stream-exists", "The session has a GET stream already.", "stream-refused"},
	EventIDUnknown:      {"event-id-unknown", "The stream cannot be resumed after this Last-Event-ID.", "stream-not-resumed event-id-repeated"},
	Unreadable:          {"unreadable", "The body is not JSON, or not a JSON-RPC message.", "message-refused"},
	BatchRefused:        {"batch-refused", "Batches are not accepted.", "batch-not-allowed initialize-in-batch"},
	BodyConsumed:        {"body-consumed", "Something in the server read the body before the transport did.", "message-refused"},
	TooLarge:            {"too-large", "The body is larger than the limit.", "request-too-large"},
	HeadTooLarge:        {"head-too-large", "The headers are larger than the limit.", "request-too-large"},
	IDInUse:             {"id-in-use", "A request with this id is pending already.", "request-id-reused retry-reuses-id"},
	Internal:            {"internal", "The server hides the reason; its log has it.", "request-refused"},
	ClientBanned:        {"client-banned", "A network before the server bans the client by its User-Agent.", "platform-says-why"},
	ContentBlocked:      {"content-blocked", "A firewall before the server blocks the request by what it holds.", "platform-says-why"},
	TunnelDown:          {"tunnel-down", "The tunnel to the server has nothing at its other end.", "platform-says-why"},
	NoInstance:          {"no-instance", "The platform has no instance of the server free for the request.", "platform-says-why"},
	CallerUnsigned:      {"caller-unsigned", "The platform serves callers only whose identity it knows, and the request shows none.", "platform-says-why"},
	RouteMissing:        {"route-missing", "The gateway has no route for this host and path.", "platform-says-why"},
	FunctionFailed:      {"function-failed", "The function or worker failed, or its response is not in the form that the platform wants.", "platform-says-why"},
	KeysLost:            {"keys-lost", "The server cannot read what it encrypted itself: its instances do not share their keys.", "platform-says-why"},
	PlainHTTP:           {"plain-http", "Plain HTTP was sent to a port that speaks HTTPS.", "platform-says-why wrong-url"},
	Prompted:            {"prompted", "The program asks something at a terminal, where nobody answers.", "server-mute server-exited"},
	PathSplit:           {"path-split", "A path with a space was cut at the space.", "server-exited"},
	ProgramUnknown:      {"program-unknown", "The package has no program of this name.", "server-exited"},
	PackageMissing:      {"package-missing", "There is no package, version or image of this name in the registry.", "server-exited"},
	EngineDown:          {"engine-down", "The container engine, Docker or Podman, does not run or may not be used.", "server-exited"},
	CacheUnusable:       {"cache-unusable", "The package manager cannot use its own cache folder.", "server-exited"},
	BrowserMissing:      {"browser-missing", "The browser that the program drives is not installed.", "tool-failed server-exited"},
	ScriptMissing:       {"script-missing", "The script that is started does not exist.", "server-exited"},
	DependenciesUnfit:   {"dependencies-unfit", "The packages of the program do not fit each other.", "server-exited request-refused"},
	RuntimeUnfit:        {"runtime-unfit", "The interpreter, the libraries or the processor do not match the program.", "server-exited"},
	ModuleMissing:       {"module-missing", "A module that the program needs is not installed where it looks for it.", "server-exited"},
	EncodingWrong:       {"encoding-wrong", "A text cannot be read or written in the encoding in use, which should be UTF-8.", "server-exited invalid-utf8"},
	PortInUse:           {"port-in-use", "Another process uses the port.", "server-exited"},
	NameInUse:           {"name-in-use", "Another container has the name.", "server-exited"},
	HeldElsewhere:       {"held-elsewhere", "Another process holds what the program needs for itself.", "tool-failed server-exited"},
	OutOfMemory:         {"out-of-memory", "The program ran out of memory.", "server-exited"},
	DiskFull:            {"disk-full", "The disk is full.", "server-exited"},
	CertificateRefused:  {"certificate-refused", "The certificate of the other side is not trusted.", "server-exited"},
	OutsideFolders:      {"outside-folders", "The path is in none of the folders that the server may use.", "tool-failed"},
	NoFolders:           {"no-folders", "The server may use no folder at all.", "tool-failed question-unanswered"},
	PathMissing:         {"path-missing", "A file or folder does not exist.", "tool-failed server-exited"},
	NotPermitted:        {"not-permitted", "The operating system or a policy does not permit it.", "server-exited server-did-not-start"},
	FileMissing:         {"file-missing", "A command or file does not exist, or is not in the PATH.", "server-exited server-did-not-start"},
	SettingMissing:      {"setting-missing", "A setting, such as a key in the environment, is missing.", "server-exited"},
	UsageWrong:          {"usage-wrong", "The program does not accept these arguments.", "server-exited"},
	OutputUnfit:         {"output-unfit", "The result does not fit the outputSchema of the tool.", "tool-failed structured-content-missing structured-content-invalid"},
	ProbeFatal:          {"probe-fatal", "The program ends because the first request is not initialize.", "server-exited"},
	RespondsTwice:       {"responds-twice", "The SDK ends the program because it responds to a request twice.", "server-exited"},
	LoopNested:          {"loop-nested", "The program starts an event loop inside a running one.", "server-exited"},
	Defect:              {"defect", "The program failed internally, on something unexpected.", "server-exited request-refused"},
	ServesHTTP:          {"serves-http", "The program serves HTTP at a port.", "server-mute"},
}

// String is the name of a meaning in the table.
func (m Meaning) String() string { return abouts[m].name }

// Says is what the meaning is, in a sentence.
func (m Meaning) Says() string { return abouts[m].says }

// Meanings are all of them, in order.
func Meanings() []Meaning {
	all := make([]Meaning, meanings)
	for i := range all {
		all[i] = Meaning(i)
	}
	return all
}

// Rules are the ids of the rules that explain it.
func (m Meaning) Rules() []string { return strings.Fields(abouts[m].rules) }
