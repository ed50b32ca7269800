package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/agui-gateway/gateway/state/filestore"
)

// Reasons why there is no copy to be made.
var (
	errBackupRedis = errors.New("-store (GATEWAY_STORE): a Redis makes its own copies (redis-cli --rdb FILE); " +
		"docs/operations.md says how to make one and how to restore it")
	errBackupNone = errors.New("-store (GATEWAY_STORE): threads in memory cannot be kept; name the file that a " +
		"gateway keeps them in, file:PATH")
	errBackupInUse = errors.New("a gateway has the file open; name its -admin-addr (GATEWAY_ADMIN_ADDR), an address " +
		"of this machine, so that it can be asked for a copy, or stop it first")
)

// checkFile returns an error unless threads are kept in a file.
func (c *config) checkFile() error {
	switch {
	case c.redis != "":
		return errBackupRedis
	case c.file == "":
		return errBackupNone
	}
	return nil
}

// backup copies the store's file to a new one. A gateway that has the file open first writes a copy beside it.
func backup(ctx context.Context, c *config, stdout, _ io.Writer) error {
	if err := c.checkFile(); err != nil {
		return err
	}
	in, err := filestore.Copy(ctx, c.file, c.operand)
	if errors.Is(err, filestore.ErrInUse) {
		in, err = c.backupRunning(ctx)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "%s has a copy of %s, checked: %d threads, %d bytes%s\n", c.operand, c.file,
		in.Threads, in.Size, lastWrite(in))
	return err
}

// lastWrite returns a note if the last write of a file may be lost.
func lastWrite(in *filestore.Inspection) string {
	if in.Torn {
		return "; its last write may be gone, because it was written in part"
	}
	return ""
}

// backupRunning has a gateway write a copy beside its file, and moves the copy to its target. The copy does not pass
// the network, so only users who can read the gateway's files can get it.
func (c *config) backupRunning(ctx context.Context) (*filestore.Inspection, error) {
	if c.admin.addr == "" || !loopback(c.admin.addr) {
		return nil, errBackupInUse
	}
	if _, err := os.Lstat(c.operand); err == nil {
		return nil, fmt.Errorf("%w: %s", filestore.ErrExists, c.operand)
	}
	begun := time.Now().Add(-time.Second) // files' times are coarse
	response, err := askThis(ctx, http.MethodPost, "http://"+probeAddress(c.admin.addr)+"/backup")
	if err != nil {
		return nil, fmt.Errorf("-admin-addr (GATEWAY_ADMIN_ADDR): the gateway cannot be asked for a copy: %w", err)
	}
	if err := response.Body.Close(); err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("-admin-addr (GATEWAY_ADMIN_ADDR): the gateway there makes no copy (%s); its log "+
			"says why", response.Status)
	}
	made := filestore.BackupPath(c.file)
	if info, err := os.Stat(made); err != nil || info.ModTime().Before(begun) {
		return nil, fmt.Errorf("-admin-addr (GATEWAY_ADMIN_ADDR): the gateway there has another file than %s", c.file)
	}
	in, err := filestore.Copy(ctx, made, c.operand)
	return in, errors.Join(err, os.Remove(made))
}

// restore puts a copy in the place of a store's file that is not there.
func restore(ctx context.Context, c *config, stdout, _ io.Writer) error {
	if err := c.checkFile(); err != nil {
		return err
	}
	in, err := filestore.Copy(ctx, c.operand, c.file)
	if errors.Is(err, filestore.ErrExists) {
		return fmt.Errorf("%w; stop the gateway and move it away first", err)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "%s is restored from %s, checked: %d threads, %d bytes%s\n", c.file, c.operand,
		in.Threads, in.Size, lastWrite(in))
	return err
}

// backups serves POST /backup, which writes a copy beside the gateway's file; nil without a file. There is one copy,
// and one request at a time, so that repeated requests cannot fill the disk.
func (c *config) backups(log *slog.Logger) http.Handler {
	if c.file == "" {
		return nil
	}
	var making sync.Mutex // never waited for: TryLock only
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !making.TryLock() {
			http.Error(w, "a copy is being made", http.StatusConflict)
			return
		}
		defer making.Unlock()
		_ = http.NewResponseController(w).SetWriteDeadline(time.Time{}) // a large file takes its time
		path, err := filestore.Backup(r.Context(), c.options.Store)
		if err != nil {
			log.Error("admin: the file could not be copied", "error", err)
			http.Error(w, "the file could not be copied; the log says why", http.StatusInternalServerError)
			return
		}
		log.Info("admin: the file was copied", "file", path)
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]string{"file": path}) // the client may have hung up
	})
}
