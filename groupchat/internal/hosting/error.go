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

// OpenMessages is host.OpenMessages.
func OpenMessages(err error) []string {
	switch e := err.(type) { //nolint:errorlint // the tree is walked here: there may be several
	case *OpenMessagesError:
		return append(OpenMessages(e.Err), e.IDs...)
	case interface{ Unwrap() error }:
		return OpenMessages(e.Unwrap())
	case interface{ Unwrap() []error }:
		var ids []string
		for _, inner := range e.Unwrap() {
			ids = append(ids, OpenMessages(inner)...)
		}
		return ids
	default:
		return nil
	}
}
