package auth

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/agui-gateway/gateway/gateway/internal/edge"
)

// Bounds of a keys file.
const (
	maxKeysFile = 1 << 20 // bytes, for about 13,000 keys
	maxKeyName  = 128     // bytes
	maxRole     = 256     // bytes
	maxRoles    = 64      // of a key
)

type keyEntry struct {
	name  string
	hash  [sha256.Size]byte // of the key
	roles []string
}

// A LineError is an error in a line of a keys file. It quotes nothing of the line, which may hold a plain key.
type LineError struct {
	Line    int // from 1
	Problem string
}

// Error returns the line's number and the problem.
func (e *LineError) Error() string { return fmt.Sprintf("line %d %s", e.Line, e.Problem) }

// readKeysFile reads and parses the file at path, which may be a symbolic link.
func readKeysFile(path string) ([]keyEntry, os.FileInfo, []byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	info, err := file.Stat()
	if err != nil {
		return nil, nil, nil, err
	}
	if !info.Mode().IsRegular() { // a pipe would keep requests waiting
		return nil, info, nil, errors.New("it is not a regular file")
	}
	data, err := io.ReadAll(io.LimitReader(file, maxKeysFile+1))
	if err != nil {
		return nil, info, nil, err
	}
	entries, err := parseKeys(data)
	return entries, info, data, err
}

// parseKeys parses a keys file: lines name:sha256-hex or name:sha256-hex:role,role, blank lines, and comments that
// begin with #. A name may have several keys, so that keys can be rotated, but a key has one name. The error is a
// [*LineError] unless the file is too large.
func parseKeys(data []byte) ([]keyEntry, error) {
	if len(data) > maxKeysFile {
		return nil, fmt.Errorf("it has more than %d bytes", maxKeysFile)
	}
	data = bytes.TrimPrefix(data, []byte("\uFEFF")) // as some editors begin a file
	var entries []keyEntry
	seen := map[[sha256.Size]byte]bool{}
	n := 0
	for line := range bytes.Lines(data) {
		n++
		text := strings.Trim(string(line), " \t\r\n")
		if text == "" || text[0] == '#' {
			continue
		}
		entry, problem := parseKeyLine(text)
		if problem == "" && seen[entry.hash] {
			problem = "has the key of another line"
		}
		if problem != "" {
			return nil, &LineError{Line: n, Problem: problem}
		}
		seen[entry.hash] = true
		entries = append(entries, entry)
	}
	return entries, nil
}

// parseKeyLine parses a line that is no comment. It returns the problem of the line, or "".
func parseKeyLine(text string) (entry keyEntry, problem string) {
	parts := strings.SplitN(text, ":", 3)
	if len(parts) < 2 {
		return keyEntry{}, "is not name:sha256-hex or name:sha256-hex:role,role"
	}
	if problem := checkName(parts[0], maxKeyName); problem != "" {
		return keyEntry{}, "has a name that " + problem
	}
	entry.name = parts[0]
	hash, err := hex.DecodeString(parts[1])
	if err != nil || len(hash) != sha256.Size {
		return keyEntry{}, "has no SHA-256 in 64 hexadecimal digits behind the name"
	}
	entry.hash = [sha256.Size]byte(hash)
	if len(parts) == 2 {
		return entry, ""
	}
	if entry.roles, problem = parseRoles(parts[2]); problem != "" {
		return keyEntry{}, problem
	}
	return entry, ""
}

// parseRoles parses comma-separated roles. It returns their problem, or "".
func parseRoles(text string) (roles []string, problem string) {
	for role := range strings.SplitSeq(text, ",") {
		if problem := checkName(role, maxRole); problem != "" {
			return nil, "has a role that " + problem
		}
		roles = append(roles, role)
	}
	if len(roles) > maxRoles {
		return nil, fmt.Sprintf("has more than %d roles", maxRoles)
	}
	return roles, ""
}

// checkName returns the problem of a name or a role in a keys file, or "". Keys files allow no blanks in them.
func checkName(name string, limit int) string {
	if strings.Contains(name, " ") {
		return "has white space or control characters"
	}
	return edge.CheckName(name, limit)
}
