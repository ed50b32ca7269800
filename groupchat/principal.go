package groupchat

import (
	"log/slog"
	"slices"
)

// A Principal is the sender of a request: a person, or a program. It formats as its id, also in logs.
type Principal struct {
	// ID is a part of the key of the principal's threads, so it has to stay the same for as long as they are kept. Ids
	// are compared byte by byte. An id has 1 to 512 bytes of UTF-8 without control characters; ".webhook" is reserved.
	// It is written to the server log.
	ID string
	// Roles are what the principal may be, in any order: at most 64, each of 1 to 256 bytes of UTF-8 without control
	// characters.
	Roles []string
	// Claims are what else is known of the principal, for agents and tools: at most 8 KiB as JSON. Agents see them as
	// encoding/json decodes them, so a number is a float64, and a time is a text. They are stored with the run, and
	// never logged or sent to a client.
	Claims map[string]any
}

// Has reports whether the principal has a role.
func (p Principal) Has(role string) bool { return slices.Contains(p.Roles, role) }

// String returns the id.
func (p Principal) String() string { return p.ID }

// GoString returns the id, so that %#v shows no claims either.
func (p Principal) GoString() string { return p.ID }

// LogValue returns the id.
func (p Principal) LogValue() slog.Value { return slog.StringValue(p.ID) }
