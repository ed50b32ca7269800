//go:build linux || darwin

package doctor

import (
	"io/fs"
	"os"
	"syscall"
)

// freeSpace returns the free bytes for this user, and all bytes, of a directory's file system.
func freeSpace(dir string) (free, all uint64, err error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, 0, err
	}
	size := uint64(s.Bsize)
	return s.Bavail * size, s.Blocks * size, nil
}

// ownedByUs reports whether a file belongs to this process' user.
func ownedByUs(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return !ok || int(s.Uid) == os.Geteuid()
}

func openFiles() (uint64, error) {
	var l syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l)
	return l.Cur, err
}
