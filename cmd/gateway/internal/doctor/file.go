package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/agui-gateway/gateway/state/filestore"
)

// A File is the configured file of threads.
type File struct {
	Path  string
	Limit int64 // bytes that threads may take; 0 is any number
}

// Check returns the check of a file.
func (f File) Check() Check {
	return Check{Name: "store", Timeout: f.timeout(), Run: func(ctx context.Context) []Finding {
		found := []Finding{writable(filepath.Dir(f.Path))}
		in, err := filestore.Inspect(ctx, f.Path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return append(found, Finding{Name: "store", Verdict: OK,
				Says: "There is no file yet; the gateway makes it when it starts."})
		case err != nil:
			return append(found, f.refusal(ctx, err)...)
		}
		found = append(found, f.room(in))
		if in.InUse {
			return append(found, Finding{Name: "store", Verdict: OK,
				Says: "The file is there, and a process has it open."},
				Finding{"store.lock", "", Warning,
					"Another process has the file open: a gateway that is started now ends with that message.",
					"Nothing, if that process is the gateway that the file is for; otherwise stop it first."},
				Finding{Name: "store.file", Verdict: Unchecked, Says: "A file that is written cannot be checked.",
					Mend: "Check it while the gateway is stopped, or check a copy that `gateway backup` has made."})
		}
		if in.Torn {
			found = append(found, Finding{"store.file", "", Warning,
				"The last write may be gone: one of the file's first two pages is not whole.",
				"Nothing, if the gateway or its machine was ended by force. Otherwise look at the disk, and at the " +
					"newest threads: an answer may have to be given again."})
		}
		return append(found, Finding{Name: "store", Verdict: OK, Says: "The file can be read."},
			Finding{Name: "store.lock", Verdict: OK, Says: "No process has the file open."}, judgeFormat(in.Format),
			Finding{Name: "store.file", Verdict: OK,
				Says: fmt.Sprintf("The file is whole: %d threads in %d MiB, of which %d MiB are empty.", in.Threads,
					mebibytes(in.Size), in.Empty>>20)})
	}}
}

// timeout returns the time limit of reading the file from a slow disk.
func (f File) timeout() time.Duration {
	const perSecond = 32 << 20
	info, err := os.Stat(f.Path)
	if err != nil {
		return Timeout
	}
	return Timeout + time.Duration(info.Size()/perSecond)*time.Second
}

// mebibytes is a size in MiB, at least 1.
func mebibytes(bytes int64) int64 { return max(1, bytes>>20) }

// refusal returns the findings for an error of the file.
func (f File) refusal(ctx context.Context, err error) []Finding {
	finding := func(name, says, mend string) []Finding { return []Finding{{name, "", Wrong, says, mend}} }
	switch {
	case ctx.Err() != nil:
		return []Finding{{"store.file", "", Unchecked, "The file could not be read to its end in time.",
			"Look at the disk, which is slow or hangs; or check a copy of the file elsewhere."}}
	case errors.Is(err, filestore.ErrLater):
		return finding("store.format", "A later version of the gateway has written the file.",
			"Use that version; docs/upgrades.md says which reads what. Nothing was changed.")
	case errors.Is(err, filestore.ErrOlder):
		return finding("store.format", "An earlier version of the gateway has written the file.",
			"Use that version; docs/upgrades.md says which reads what. Nothing was changed.")
	case errors.Is(err, filestore.ErrForeign):
		return finding("store", "The file is not a store of this gateway.",
			"Name another file in -store (GATEWAY_STORE).")
	case errors.Is(err, filestore.ErrDamaged):
		return finding("store.file", "The file is damaged: "+causeOf(err)+".",
			"Stop the gateway and put a copy that is whole in its place (`gateway restore`), or move it away to "+
				"begin with an empty store.")
	case errors.Is(err, fs.ErrPermission):
		return finding("store", "The file may not be read by this user.",
			"Give it to the user that the gateway runs as (chown), and check as that user.")
	default:
		return finding("store", "The file cannot be read: "+causeOf(err)+".",
			"Look at the disk, and at the log of the system.")
	}
}

// room judges how near the file is to its limit.
func (f File) room(in *filestore.Inspection) Finding {
	used := in.Size - in.Empty
	if f.Limit > 0 && used*100 >= f.Limit*fullRedis {
		return Finding{"store.room", "", Warning,
			fmt.Sprintf("The file has %d of the %d MiB that -store-limit allows; old threads make room when it is "+
				"reached.", used>>20, f.Limit>>20),
			"Raise -store-limit, or shorten -thread-ttl and -log-ttl, if they are to be kept."}
	}
	if f.Limit > 0 {
		return Finding{Name: "store.room", Verdict: OK,
			Says: fmt.Sprintf("The file has %d of the %d MiB that -store-limit allows.", used>>20, f.Limit>>20)}
	}
	return Finding{Name: "store.room", Verdict: OK,
		Says: fmt.Sprintf("The file has %d MiB and no limit (-store-limit) but its disk.", mebibytes(in.Size))}
}

// writable reports whether files can be created and kept in a directory or its nearest existing parent.
func writable(dir string) Finding {
	const name = "store.directory"
	for {
		info, err := os.Stat(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist) && filepath.Dir(dir) != dir:
			dir = filepath.Dir(dir)
			continue
		case err == nil && !info.IsDir():
			return Finding{name, "", Wrong, dir + " is no directory.",
				"Name a file in a directory in -store (GATEWAY_STORE)."}
		}
		break
	}
	err := tryWriting(dir)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return Finding{name, "", Wrong, "No file can be made in " + dir + ": this user may not write there.",
			"Give the directory to the user that the gateway runs as (chown), and check as that user."}
	case err != nil:
		return Finding{name, "", Wrong, "No file can be made and kept in " + dir + ": " + causeOf(err) + ".",
			"Look at the disk: whether it is full, mounted read-only, or takes no fsync."}
	}
	return Finding{Name: name, Verdict: OK, Says: "Files can be made in " + dir + ", and fsync keeps them."}
}

// tryWriting makes a file in a directory, has the disk keep it, and removes it.
func tryWriting(dir string) error {
	file, err := os.CreateTemp(dir, ".gateway-doctor-*")
	if err != nil {
		return err
	}
	_, err = file.WriteString("A check of this directory; it can be removed.\n")
	return errors.Join(err, file.Sync(), file.Close(), os.Remove(file.Name()))
}

// Memory is the finding about threads that are kept in memory.
func Memory() Check {
	return Check{Name: "store", Run: func(context.Context) []Finding {
		return []Finding{{"store", "", Warning,
			"Threads are kept in memory and end with the process, open questions too.",
			"Set -store file:PATH for one machine, or -store redis://host:port for several."}}
	}}
}
