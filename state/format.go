package state

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A Format is the version of what stores keep of threads. Versions of the gateway that know the same major read and write
// each other's threads, whoever wrote them last: a later minor adds only what an earlier one may ignore, and may drop when it
// writes what it was part of. A version leaves alone what a later major has written: it has [ErrLater] for it.
type Format struct{ Major, Minor int }

// CurrentFormat is what this version writes. 1.0 had neither a record of its format in Redis, nor the roles and claims of a
// principal in a run's intent; 1.1 had neither the numbers of runs, nor behind which messages they began, the times of snapshots, questions
// and answers, the list of answered questions, the spans of runs, nor the notes of agents.
var CurrentFormat = Format{Major: 1, Minor: 2}

// formatKind begins the record of a format: other programs keep theirs in the same kinds of store.
const formatKind = "agui-gateway threads "

// ErrLater says that a later version of the gateway has written what is stored, in a way that this one does not know. Nothing
// was changed in it.
var ErrLater = errors.New("state: a later version of the gateway has written what is stored there")

// ErrFormat says that a text is no record of a format.
var ErrFormat = errors.New("state: no record of a format")

// String is the version alone, as people write it.
func (f Format) String() string { return fmt.Sprintf("%d.%d", f.Major, f.Minor) }

// Record is the text by which stores know the format of what they have.
func (f Format) Record() string { return formatKind + f.String() }

// ParseFormat reads what Record writes; a record without a minor is of the first one. It fails with [ErrFormat].
func ParseFormat(record string) (Format, error) {
	version, ours := strings.CutPrefix(record, formatKind)
	majorText, minorText, dotted := strings.Cut(version, ".")
	major, err := strconv.ParseUint(majorText, 10, 31)
	minor, err2 := uint64(0), error(nil)
	if dotted {
		minor, err2 = strconv.ParseUint(minorText, 10, 31)
	}
	if !ours || major == 0 || err != nil || err2 != nil {
		return Format{}, ErrFormat
	}
	return Format{int(major), int(minor)}, nil
}

// Later reports whether f is after other.
func (f Format) Later(other Format) bool {
	return f.Major > other.Major || f.Major == other.Major && f.Minor > other.Minor
}

// Check fails with [ErrLater] if this version must leave alone what is of format f.
func (f Format) Check() error {
	if f.Major > CurrentFormat.Major {
		return fmt.Errorf("%w (format %s, this one knows %s); nothing was changed", ErrLater, f, CurrentFormat)
	}
	return nil
}
