package agui

import (
	"errors"
	"strings"
)

// An Era is what a peer understands of the protocol. Nothing but the protocol version it sends tells eras
// apart: all 0.x clients send the same bodies.
type Era uint8

const (
	// Era0 is every client before 1.0: it sends no version and crashes on much of what 1.0 added.
	Era0 Era = iota
	// Era1 is 1.0 and every later minor version.
	Era1
)

// String returns the era as a log would name it.
func (e Era) String() string {
	if e == Era0 {
		return "pre-1.0"
	}
	return "1.0"
}

// ErrUnsupportedVersion is returned for a protocol version of a major this package does not know. A server
// answers it with 400 before anything has started.
var ErrUnsupportedVersion = errors.New("agui: unsupported protocol version")

// EraOf returns the era of a caller that says it speaks protocolVersion; empty means it said nothing. Only an unknown
// major is an error. A newer minor is served, and so is any other value: a sender of the field is at least of the era
// that has it. [VersionNote] returns the note for the log.
func EraOf(protocolVersion string) (Era, error) {
	if protocolVersion == "" {
		return Era0, nil
	}
	major, _, ok := splitVersion(protocolVersion)
	switch {
	case !ok || major == "1":
		return Era1, nil
	case major == "0":
		return Era0, nil
	default:
		return Era0, ErrUnsupportedVersion
	}
}

// VersionNote returns what a log should say about a version that is served although it is not ours, or "".
// It does not quote the version, which is the caller's text.
func VersionNote(protocolVersion string) string {
	major, minor, ok := splitVersion(protocolVersion)
	switch {
	case protocolVersion == "":
		return ""
	case !ok:
		return "protocol version is not MAJOR.MINOR; served as " + ProtocolVersion
	case major == "1" && minor != "0":
		return "protocol version is newer; served as " + ProtocolVersion
	default:
		return ""
	}
}

// splitVersion reads MAJOR.MINOR, without leading zeros.
func splitVersion(v string) (major, minor string, ok bool) {
	major, minor, ok = strings.Cut(v, ".")
	return major, minor, ok && isNumber(major) && isNumber(minor)
}

func isNumber(s string) bool {
	if s == "" || len(s) > 1 && s[0] == '0' {
		return false
	}
	return strings.Trim(s, "0123456789") == ""
}
