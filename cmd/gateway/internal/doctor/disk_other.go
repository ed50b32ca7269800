//go:build !linux && !darwin

package doctor

import "io/fs"

// freeSpace is for systems that have another way to tell.
func freeSpace(string) (free, all uint64, err error) { return 0, 0, errNoSpace }

// ownedByUs reports true on systems without numeric file owners.
func ownedByUs(fs.FileInfo) bool { return true }

// openFiles is for systems without such a limit, or with another way to tell.
func openFiles() (uint64, error) { return 0, errNoSpace }
