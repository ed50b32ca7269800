package hosting

// An OpenMessagesError is the failure of a turn that left messages open.
type OpenMessagesError struct {
	Err error
	IDs []string // of the messages
}

// Error is what the failure says.
func (e *OpenMessagesError) Error() string { return e.Err.Error() }

// Unwrap returns the failure.
func (e *OpenMessagesError) Unwrap() error { return e.Err }
