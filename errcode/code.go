package errcode

// A Code identifies a failure for programs: in the JSON error of a refused request and in RUN_ERROR. Codes never change
// their meaning; new ones may be added, and agents may define others.
type Code string

// The codes of refused requests. Those that can also happen to a run are used in streams too.
const (
	InvalidInput       Code = "invalid_input"       // the request is malformed
	UnsupportedVersion Code = "unsupported_version" // the request's protocol version has an unknown major
	Unauthorized       Code = "unauthorized"        // no credentials, or wrong ones
	AuthUnavailable    Code = "auth_unavailable"    // what checks credentials cannot be reached
	Forbidden          Code = "forbidden"           // authenticated, but without this right
	NotFound           Code = "not_found"           // it does not exist, or is another principal's
	AmbiguousThread    Code = "ambiguous_thread"    // the thread id exists under several agents
	MethodNotAllowed   Code = "method_not_allowed"  // the path exists, the method does not
	TooLarge           Code = "too_large"           // a limit on size was hit
	// a file of a message does not match its declaration, or has a refused type
	InvalidAttachment    Code = "invalid_attachment"
	HeaderTooLarge       Code = "header_too_large"       // the line and the headers of the request are too large
	UnsupportedMediaType Code = "unsupported_media_type" // the body is not announced as JSON
	MisdirectedRequest   Code = "misdirected_request"    // the server does not answer for the host of the request
	RateLimited          Code = "rate_limited"           // this caller sends too many requests
	Overloaded           Code = "overloaded"             // all callers together send too many
	Draining             Code = "draining"               // the server is shutting down
	StoreUnavailable     Code = "store_unavailable"      // the store cannot be reached
	StoreTooNew          Code = "store_too_new"          // a later version has written the data
	ThreadDamaged        Code = "thread_damaged"         // the store has lost a part of the thread, or cannot decode it
	LogTrimmed           Code = "log_trimmed"            // the events of a run are not kept any more
	Internal             Code = "internal"               // a defect of the server
)

// The codes of refused runs: the thread is as it was.
const (
	RunInProgress            Code = "run_in_progress"            // the thread has a live run
	QueueFull                Code = "queue_full"                 // the thread has a live run, and its queue is full
	BranchChanged            Code = "branch_changed"             // the request continues replaced messages
	InterruptPending         Code = "interrupt_pending"          // the thread waits for an answer first
	InterruptNotFound        Code = "interrupt_not_found"        // the answered interrupt is not open here
	InterruptExpired         Code = "interrupt_expired"          // it was answered too late
	InterruptAlreadyResolved Code = "interrupt_already_resolved" // it has another answer already
	ResumeIncomplete         Code = "resume_incomplete"          // some open interrupts were left out
	ResumeInvalid            Code = "resume_invalid"             // an answer does not fit its schema, or is given twice
	ResumeAmbiguous          Code = "resume_ambiguous"           // a bare value, and several open interrupts
	CheckpointIncompatible   Code = "checkpoint_incompatible"    // the paused work does not fit the agents of today
)

// The codes of refused patches of a thread's state: the state is as it was.
const (
	PatchFailed          Code = "patch_failed"           // an operation does not apply to the current state
	StateChanged         Code = "state_changed"          // the state is not the one that the patch was made for
	PatchQueueFull       Code = "patch_queue_full"       // too many patches wait for the turn that is going on
	IdempotencyKeyReused Code = "idempotency_key_reused" // another patch has the same Idempotency-Key
)

// The codes of runs that ended before their work was done.
const (
	Cancelled  Code = "cancelled"   // stopped on purpose
	RunMoved   Code = "run_moved"   // another replica took the run over
	RunLost    Code = "run_lost"    // no replica could continue the run
	RunTimeout Code = "run_timeout" // it took longer than allowed
)

// The codes of runs and turns that failed in their agents, models or tools.
const (
	UnknownSpeaker     Code = "unknown_speaker"      // the manager chose an agent that does not exist
	NoProgress         Code = "no_progress"          // the chat repeats itself
	NoRoute            Code = "no_route"             // the manager has no agent to choose
	NotConverged       Code = "not_converged"        // all rounds used, not done
	AgentFailed        Code = "agent_failed"         // the agent returned an error or panicked
	RemoteFailed       Code = "remote_failed"        // a remote agent did not answer as it should
	RemoteLoop         Code = "remote_loop"          // remote agents lead back to one another, or too far
	ModelAuth          Code = "model_auth"           // the model's server refused the credentials it was sent
	ModelRequest       Code = "model_request"        // the model's server refused the request itself
	ModelResponse      Code = "model_response"       // the model's answer made no sense
	ModelContentFilter Code = "model_content_filter" // the model's server withheld the answer
	ModelUnavailable   Code = "model_unavailable"    // the model's server cannot be reached or is busy
	ModelContextLength Code = "model_context_length" // the conversation is longer than the model takes
	ToolFailed         Code = "tool_failed"          // a tool failed
	GuardrailRefused   Code = "guardrail_refused"    // a guardrail does not let this pass
	BudgetExceeded     Code = "budget_exceeded"      // the budget of tokens or turns is used up
	HookFailed         Code = "hook_failed"          // a hook panicked, or could not decide
	ContractViolation  Code = "contract_violation"   // inputs or results of a team violate its contract
)

// table holds the HTTP status of a request that is refused with each code, and the code's public sentence. Clients get
// only that: causes may contain secrets or prompts.
var table = map[Code]struct {
	status  int
	message string
}{
	InvalidInput:         {400, "The request is malformed."},
	UnsupportedVersion:   {400, "This version of the protocol is not supported."},
	Unauthorized:         {401, "Valid credentials are required."},
	AuthUnavailable:      {503, "The server cannot check credentials at the moment; try again later."},
	Forbidden:            {403, "This is not allowed."},
	NotFound:             {404, "There is nothing here."},
	AmbiguousThread:      {409, "Several agents have a thread with this id; name the agent."},
	MethodNotAllowed:     {405, "This method is not allowed here."},
	TooLarge:             {413, "This is larger than the server accepts."},
	InvalidAttachment:    {422, "A file of the message cannot be taken."},
	UnsupportedMediaType: {415, "The body must be application/json."},
	MisdirectedRequest:   {421, "The server does not answer for this host; its operator can name the host in -hosts."},
	HeaderTooLarge:       {431, "The headers are larger than the server accepts."},
	RateLimited:          {429, "Too many requests; try again later."},
	Overloaded:           {503, "The server is at its limit; try again later."},
	Draining:             {503, "The server is shutting down; try again."},
	StoreUnavailable:     {503, "The server cannot reach its storage; try again later."},
	StoreTooNew:          {503, "This server is older than its storage; another one can serve this."},
	ThreadDamaged:        {500, "A part of this thread was lost; it can only be deleted."},
	LogTrimmed:           {410, "The events of this run are not kept any more."},
	Internal:             {500, "Something went wrong on the server."},

	RunInProgress:            {409, "This thread has a run in progress."},
	QueueFull:                {409, "Too many requests are waiting for this thread."},
	BranchChanged:            {409, "An edit has replaced the messages that this continues; load the thread again."},
	InterruptPending:         {409, "This thread is waiting for an answer; resume it first."},
	InterruptNotFound:        {409, "There is no such open question on this thread."},
	InterruptExpired:         {409, "The time to answer this question is over."},
	InterruptAlreadyResolved: {409, "This question has been answered already."},
	ResumeIncomplete:         {409, "Every open question of this thread must be answered at once."},
	ResumeInvalid:            {409, "The answer does not fit the question."},
	ResumeAmbiguous:          {409, "Several questions are open; say which one each answer is for."},
	CheckpointIncompatible:   {409, "The agents have changed since this run was paused; it cannot continue."},

	PatchFailed:          {409, "The patch does not apply to the state as it is."},
	StateChanged:         {412, "The state has changed; read it again."},
	PatchQueueFull:       {409, "Too many patches are waiting for this thread."},
	IdempotencyKeyReused: {422, "Another patch was sent with the same Idempotency-Key."},

	Cancelled:  {409, "The run was stopped."},
	RunMoved:   {409, "The run was moved to another server."},
	RunLost:    {409, "The run was lost."},
	RunTimeout: {409, "The run took too long."},

	UnknownSpeaker:     {409, "The chosen agent does not exist."},
	NoProgress:         {409, "The agents make no progress."},
	NoRoute:            {409, "No agent is responsible for this."},
	NotConverged:       {409, "The agents did not finish within their rounds."},
	AgentFailed:        {409, "The agent failed."},
	RemoteFailed:       {409, "The remote agent failed."},
	RemoteLoop:         {508, "The remote agents call each other in a circle."},
	ModelAuth:          {409, "The model refused the server's credentials."},
	ModelRequest:       {409, "The model refused the request."},
	ModelResponse:      {409, "The model's answer could not be understood."},
	ModelContentFilter: {409, "The model's answer was withheld by its content filter."},
	ModelUnavailable:   {409, "The model is not available; try again later."},
	ModelContextLength: {409, "The conversation is too long for the model."},
	ToolFailed:         {409, "A tool failed."},
	GuardrailRefused:   {409, "A rule of this service does not allow this."},
	BudgetExceeded:     {409, "The budget for this is used up."},
	HookFailed:         {409, "A check of this service failed."},
	ContractViolation:  {409, "Data passed between two parts of the team violates their contract."},
}

// Message returns the public sentence of c. A foreign code, such as one of a script agent, has a general one.
func (c Code) Message() string {
	if row, ok := table[c]; ok {
		return row.message
	}
	return "The run failed."
}

// Status returns the HTTP status of a request that is refused with c: that of an internal error for a foreign code.
func (c Code) Status() int {
	if row, ok := table[c]; ok {
		return row.status
	}
	return 500
}

// Known reports whether c is one of this package's codes.
func (c Code) Known() bool {
	_, ok := table[c]
	return ok
}
