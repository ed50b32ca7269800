package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Bounds of free space, in bytes: below the first no larger write succeeds, below the second an operator should know.
const (
	leastFree = 64 << 20
	smallFree = 1 << 30
)

var errNoSpace = errors.New("this system does not tell")

// A Disk is the file system of a directory with files.
type Disk struct {
	What string // is written there
	Dir  string // it need not be there yet
	// Free returns the free bytes for this user, and all bytes; nil asks the system.
	Free func(dir string) (free, all uint64, err error)
}

// Check returns the check of a disk.
func (d Disk) Check() Check {
	return check("disk", d.What, func(_ context.Context, c Check) []Finding {
		dir := d.Dir
		for {
			if _, err := os.Stat(dir); err == nil || filepath.Dir(dir) == dir {
				break
			}
			dir = filepath.Dir(dir)
		}
		ask := d.Free
		if ask == nil {
			ask = freeSpace
		}
		free, all, err := ask(dir)
		if err != nil {
			return c.unchecked("How much space is free in "+dir+" is not known: "+causeOf(err)+".", "")
		}
		says := fmt.Sprintf("%d of %d MiB are free in %s", free>>20, all>>20, dir)
		switch {
		case free < leastFree:
			return c.wrong(says+", which is next to nothing.",
				"Make room on that disk, or move the files to another disk.")
		case free < smallFree:
			return c.warning(says+".", "Make room on that disk before it is full; a full one makes the gateway not "+
				"ready.")
		}
		return c.ok(says + ".")
	})
}

// Appended returns the check of an append-only file, such as the audit log.
func Appended(what, path string) Check {
	return check("audit", "", func(_ context.Context, c Check) []Finding {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				return c.wrong(what+" cannot be written: "+causeOf(err)+".",
					"Give it to the user that the gateway runs as (chown), and check as that user.")
			}
			_ = file.Close() // nothing was written
			return c.ok(what + " can be appended to.")
		} else if err == nil {
			return c.ok(what + " is no ordinary file; whether it takes lines is up to it.")
		}
		f := writable(filepath.Dir(path))
		f.Name = c.Name
		if f.Verdict == OK {
			if _, err := os.Stat(filepath.Dir(path)); err != nil {
				return c.wrong(what+" has no directory: "+filepath.Dir(path)+" is not there.", "Make the directory.")
			}
			f.Says = what + " is not there yet and can be made."
		}
		return []Finding{f}
	})
}
