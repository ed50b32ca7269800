//go:build !linux && !darwin

package doctor

import "io/fs"

// freeSpace returns errNoSpace on systems without statfs.
func freeSpace(string) (free, all uint64, err error) { return 0, 0, errNoSpace }

// ownedByUs reports true on systems without numeric file owners.
func ownedByUs(fs.FileInfo) bool { return true }

// openFiles returns errNoSpace on systems without a limit of open files.
func openFiles() (uint64, error) { return 0, errNoSpace }
