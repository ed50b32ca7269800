//go:build !unix || solaris || aix

package filestore

import (
	"os"
	"time"
)

// lock does nothing: on these systems bbolt locks the file itself, as soon as this package has checked it.
func lock(*os.File, time.Duration) error { return nil }
