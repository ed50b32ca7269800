package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"

	"github.com/agui-gateway/gateway/gateway/auth"
)

// closeTo returns advice to make a file readable for this user only, if necessary by its group.
func closeTo(info fs.FileInfo, path string) string {
	if ownedByUs(info) {
		return "chmod 600 " + path
	}
	return "Give it the group that the gateway runs as: chgrp GROUP " + path + " && chmod 640 " + path +
		". Not 600: it belongs to another user than this one, who then could not read it."
}

// Keys returns the check of a file with the keys of callers.
func Keys(path string) Check {
	return check("keys", "", func(_ context.Context, c Check) []Finding {
		info, err := os.Stat(path)
		if err == nil {
			_, err = auth.OpenKeys(auth.KeysOptions{File: path, Log: slog.New(slog.DiscardHandler)})
		}
		line, isLine := errors.AsType[*auth.LineError](err)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return c.wrong(path+" is not there.", "Make a key: gateway key NAME >> "+path)
		case errors.Is(err, fs.ErrPermission):
			return c.wrong(path+" may not be read by this user.",
				"Give it to the user that the gateway runs as (chown), and check as that user.")
		case isLine:
			return c.wrong(fmt.Sprintf("%s: %v.", path, line),
				"Correct the line; `gateway key NAME` prints good ones, to stdout.")
		case err != nil:
			return c.wrong(path+" cannot be used: "+causeOf(err)+".",
				"Name a file of the lines that `gateway key NAME` prints.")
		case info.Mode().Perm()&0o022 != 0:
			return c.wrong(path+" can be written by others ("+info.Mode().Perm().String()+
				"), who could let themselves in.", "chmod go-w "+path)
		case info.Size() == 0:
			return c.warning(path+" is empty, so all callers are refused.", "Make a key: gateway key NAME >> "+path)
		case info.Mode().Perm()&0o044 != 0:
			return c.warning(path+" can be read by others ("+info.Mode().Perm().String()+
				"). It has hashes and no keys, but names and roles.", closeTo(info, path))
		}
		return c.ok(path + " is good, and no other user may read it.")
	})
}
