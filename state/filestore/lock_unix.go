//go:build unix && !solaris && !aix

package filestore

import (
	"os"
	"syscall"
	"time"
)

// lock locks the file for this process, waiting for at most so long. It is bbolt's own lock, taken a little earlier:
// the holder may take it again.
func lock(file *os.File, patience time.Duration) error {
	for until := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil || err != syscall.EWOULDBLOCK && err != syscall.EINTR || time.Now().After(until) {
			return err
		}
	}
}
