package doctor

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"syscall"
)

// Port returns the check of an address, which is listened on for a moment. The flag is that of its setting, such as
// -addr. ask reports whether a gateway answers there.
func Port(flag, address string, ask func(ctx context.Context) bool) Check {
	return check("port", flag, func(ctx context.Context, c Check) []Finding {
		var listening net.ListenConfig
		l, err := listening.Listen(ctx, "tcp", address)
		switch {
		case err == nil:
			_ = l.Close() // there are no connections
			return c.ok(address + " is free.")
		case errors.Is(err, syscall.EADDRINUSE) && ask(ctx):
			return c.ok(address + " is taken by a gateway that runs.")
		case errors.Is(err, syscall.EADDRINUSE):
			return c.wrong(address+" is taken by another program, or by a gateway that does not answer.",
				"Stop that program (ss -ltnp names it), or set another "+flag+".")
		case errors.Is(err, fs.ErrPermission):
			return c.wrong("This user may not listen on "+address+".",
				"Set a port of 1024 or above, or give the right: setcap cap_net_bind_service=+ep, "+
					"AmbientCapabilities in systemd.")
		case errors.Is(err, syscall.EADDRNOTAVAIL):
			return c.wrong(address+" is not an address of this machine.",
				"Set "+flag+" to one that it has; :PORT is all of them.")
		}
		return c.wrong(address+" cannot be listened on: "+causeOf(err)+".", "Correct "+flag+".")
	})
}
