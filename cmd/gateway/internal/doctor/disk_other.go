//go:build !linux && !darwin

package doctor

import "io/fs"

// freeSpace is not implemented for this system.
func freeSpace(string) (free, all uint64, err error) { return 0, 0, errNoSpace }

// ownedByUs reports true on systems without numeric file owners.
func ownedByUs(fs.FileInfo) bool { return true }

// openFiles is not implemented for this system.
func openFiles() (uint64, error) { return 0, errNoSpace }
