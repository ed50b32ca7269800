package chat

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/agui-gateway/gateway/agui"
)

// Bounds of the stored conversations.
const (
	mostKept      = 100     // conversations; the least recently changed is evicted first
	mostKeptBytes = 8 << 20 // of one conversation
)

// ErrKeptTooLarge is returned for a conversation that is too large to be kept.
var ErrKeptTooLarge = errors.New("chat: the conversation has more than 8 MiB, and is not kept any more")

// A Kept keeps conversations with servers that keep none, in files that only their owner can read.
type Kept struct {
	Dir string // is made when it is needed
	URL string // of the agent, without secrets
}

type record struct {
	URL       string          `json:"url"`
	Thread    string          `json:"thread"`
	Messages  []agui.Message  `json:"messages"`
	State     json.RawMessage `json:"state,omitempty"`
	Questions []question      `json:"questions,omitempty"`
}

func (k *Kept) path(thread string) string {
	sum := sha256.Sum256([]byte(k.URL + "\x00" + thread))
	return filepath.Join(k.Dir, hex.EncodeToString(sum[:16])+".json")
}

// read returns a conversation; fs.ErrNotExist if none is kept.
func (k *Kept) read(thread string) (*record, error) {
	raw, err := os.ReadFile(k.path(thread))
	if err != nil {
		return nil, err
	}
	var r record
	if err := json.Unmarshal(raw, &r); err != nil || r.URL != k.URL || r.Thread != thread {
		return nil, fs.ErrNotExist // another program's, or half of one: it will be replaced
	}
	return &r, nil
}

func (k *Kept) write(r record) error {
	r.URL = k.URL
	raw, err := agui.Marshal(r)
	if err != nil {
		return err
	}
	if len(raw) > mostKeptBytes {
		return ErrKeptTooLarge
	}
	if err := os.MkdirAll(k.Dir, 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(k.Dir, "new-*") // for its owner only
	if err != nil {
		return err
	}
	_, err = file.Write(raw)
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), k.path(r.Thread))
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return k.forget()
}

// forget evicts conversations beyond the bounds, the oldest first.
func (k *Kept) forget() error {
	entries, err := os.ReadDir(k.Dir)
	if err != nil || len(entries) <= mostKept {
		return err
	}
	changed := func(e fs.DirEntry) time.Time {
		info, err := e.Info()
		if err != nil {
			return time.Time{} // it is deleted
		}
		return info.ModTime()
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return changed(a).Compare(changed(b)) })
	for _, e := range entries[:len(entries)-mostKept] {
		if err := os.Remove(filepath.Join(k.Dir, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
