package auth

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/agui-gateway/gateway/gateway"
)

// settled is the age from which on a file that changes again gets another time of change: file systems count in ticks.
const settled = 2 * time.Second

var errUnknownKey = errors.New("the key is not in the keys file")

// KeysOptions configures where keys are read. The zero value of every field but File is a usable default.
type KeysOptions struct {
	// File has a line name:sha256-hex or name:sha256-hex:role,role for each key; comments begin with #. At most 1 MiB.
	File string
	// Log gets a line when a changed file has been read, or could not be; nil means [slog.Default].
	Log *slog.Logger
}

// Keys identifies principals by API keys. It is safe for concurrent use.
type Keys struct {
	path string
	log  *slog.Logger

	mu      sync.Mutex // also held while the file, local and at most 1 MiB, is read: requests share one read
	entries []keyEntry
	read    os.FileInfo // of the file with these entries, or of the refused one
	at      time.Time   // when it was read
	data    []byte      // what it held
	problem string      // the file's last logged error
}

// OpenKeys reads a keys file. A request after a change of the file reads it again: added keys work, and removed ones do
// not. A broken or missing file changes nothing, and the log has the cause.
func OpenKeys(o KeysOptions) (*Keys, error) {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	k := &Keys{path: o.File, log: o.Log, at: time.Now()}
	var err error
	if k.entries, k.read, k.data, err = readKeysFile(o.File); err != nil {
		return nil, fmt.Errorf("keys file %s: %w", o.File, err)
	}
	if len(k.entries) == 0 {
		k.log.Warn("the keys file has no keys: every request is refused", "file", o.File)
	}
	return k, nil
}

// Principal returns key:NAME, for the key in X-API-Key or Authorization: Bearer. Errors have the code unauthorized.
func (k *Keys) Principal(r *http.Request) (gateway.Principal, error) {
	text, err := key(r.Header)
	if err != nil {
		return gateway.Principal{}, unauthorized(err)
	}
	hash := sha256.Sum256([]byte(text))
	var found *keyEntry
	entries := k.current()
	for i := range entries { // compare all, so that the time does not reveal the position of a key
		if subtle.ConstantTimeCompare(entries[i].hash[:], hash[:]) == 1 {
			found = &entries[i]
		}
	}
	if found == nil {
		return gateway.Principal{}, unauthorized(errUnknownKey)
	}
	return gateway.Principal{ID: "key:" + found.name, Roles: found.roles}, nil
}

// current returns the entries of the current file, or of its last valid version. They must not be changed.
func (k *Keys) current() []keyEntry {
	k.mu.Lock()
	defer k.mu.Unlock()
	info, err := os.Stat(k.path)
	if err != nil {
		k.read = nil // a new file has to be read
		k.keep(err)
		return k.entries
	}
	// A file that was written twice within one tick has the same attributes.
	same := k.read != nil && os.SameFile(info, k.read) && info.Size() == k.read.Size() &&
		info.ModTime().Equal(k.read.ModTime())
	if same && k.at.Sub(info.ModTime()) > settled {
		return k.entries
	}
	k.reload(same)
	return k.entries
}

// reload reads the file again. The caller holds the lock.
func (k *Keys) reload(same bool) {
	at := time.Now()
	entries, info, data, err := readKeysFile(k.path)
	before := k.data
	k.read, k.at, k.data = info, at, data
	switch {
	case err != nil:
		k.keep(err)
	case same && k.problem == "" && bytes.Equal(data, before):
	default:
		k.entries, k.problem = entries, ""
		k.log.Info("keys file read again", "file", k.path, "keys", len(entries))
		if len(entries) == 0 {
			k.log.Warn("the keys file has no keys: every request is refused", "file", k.path)
		}
	}
}

// keep logs, once, why the keys stay as they were.
func (k *Keys) keep(err error) {
	if k.problem != err.Error() {
		k.problem = err.Error()
		k.log.Error("the keys stay as they were", "file", k.path, "error", err)
	}
}
