package state

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A Format is the version of stored threads. A gateway uses a store of its format only: it refuses
// an older store with [ErrOlder] and a newer one with [ErrLater], and changes neither.
type Format int

// CurrentFormat is the format that this version reads and writes.
const CurrentFormat Format = 1

// formatKind is the prefix of a format's record. Other programs store theirs in the same kinds of store.
const formatKind = "agui-gateway threads "

// Errors of [ParseFormat].
var (
	// ErrLater: a later version of the gateway has written the store, in a format that this one does not know.
	ErrLater = errors.New("state: a later version of the gateway has written what is stored there")
	// ErrOlder: an earlier version of the gateway has written the store, in a format that this one does not read.
	ErrOlder = errors.New("state: an earlier version of the gateway has written what is stored there")
	// ErrFormat: the text is not the record of a format.
	ErrFormat = errors.New("state: no record of a format")
)

// String returns the number of the format.
func (f Format) String() string { return strconv.Itoa(int(f)) }

// Record returns the text that a store keeps to name its format.
func (f Format) Record() string { return formatKind + f.String() }

// ParseFormat reads a record. It fails with [ErrFormat], and with [ErrLater] or [ErrOlder] for a format other than
// [CurrentFormat], which it then returns beside the error. Versions before the first release wrote two numbers with
// a dot between them: their format is 0.
func ParseFormat(record string) (Format, error) {
	version, ours := strings.CutPrefix(record, formatKind)
	number, _, unreleased := strings.Cut(version, ".")
	n, err := strconv.ParseUint(number, 10, 31)
	if !ours || err != nil {
		return 0, ErrFormat
	}
	f := Format(n)
	if unreleased {
		f = 0
	}
	switch {
	case f > CurrentFormat:
		err = ErrLater
	case f < CurrentFormat:
		err = ErrOlder
	default:
		return f, nil
	}
	return f, fmt.Errorf("%w (format %s, this one knows %s); nothing was changed", err, f, CurrentFormat)
}
