package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/agui-gateway/gateway/gateway"
)

// An auditLog appends entries to a file or standard output. A file that was renamed or removed is created again for the
// next entry, so that the log can be rotated by renaming. The zero value discards entries.
type auditLog struct {
	path string    // empty without a file
	out  io.Writer // if there is no file

	mu   sync.Mutex // held during writes, so that lines do not mix; a local file, or standard output, has no deadline
	file *os.File   // nil if it could not be opened for the last entry
}

// openAudit opens the configured log and connects the gateway to it. It fails if the file cannot be written.
func (c *config) openAudit(stdout io.Writer) (*auditLog, error) {
	l := &auditLog{}
	switch c.audit {
	case "":
		return l, nil
	case "-":
		l.out = stdout
	default:
		l.path = c.audit
		if err := l.open(); err != nil {
			return nil, fmt.Errorf("-audit-log (GATEWAY_AUDIT_LOG): %w", err)
		}
	}
	c.options.Audit, c.options.AuditContent = l.write, c.auditContent == "on"
	return l, nil
}

// write appends an entry as a whole line, unbuffered.
func (l *auditLog) write(e gateway.AuditEntry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	out := l.out
	if l.path != "" {
		if err := l.open(); err != nil {
			return err
		}
		out = l.file
	}
	_, err = escapingWriter{out}.Write(append(line, '\n'))
	return err
}

// open makes sure that the file which has the log's name is open.
func (l *auditLog) open() error {
	named, err := os.Stat(l.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if l.file != nil {
		if now, err := l.file.Stat(); err == nil && named != nil && os.SameFile(now, named) {
			return nil
		}
		_ = l.file.Close() // earlier writes are complete
		l.file = nil
	}
	file, err := os.OpenFile(l.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	l.file = file
	return nil
}

// close closes the file. Entries after it open it again.
func (l *auditLog) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil {
		_ = l.file.Close() // earlier writes are complete
		l.file = nil
	}
}
