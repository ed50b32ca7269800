package doctor

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"syscall"
)

// A Port is an address to listen on.
type Port struct {
	Flag    string // the setting's flag, such as -addr
	Address string
	// Ask reports whether a gateway answers at the address.
	Ask func(ctx context.Context) bool
}

// Check returns the check of an address. It is listened on for a moment.
func (p Port) Check() Check {
	c := Check{Name: "port", Subject: p.Flag}
	c.Run = func(ctx context.Context) []Finding {
		var listening net.ListenConfig
		l, err := listening.Listen(ctx, "tcp", p.Address)
		switch {
		case err == nil:
			_ = l.Close() // there are no connections
			return c.ok(p.Address + " is free.")
		case errors.Is(err, syscall.EADDRINUSE) && p.Ask(ctx):
			return c.ok(p.Address + " is taken by a gateway that runs.")
		case errors.Is(err, syscall.EADDRINUSE):
			return c.wrong(p.Address+" is taken by another program, or by a gateway that does not answer.",
				"Stop that program (ss -ltnp names it), or set another "+p.Flag+".")
		case errors.Is(err, fs.ErrPermission):
			return c.wrong("This user may not listen on "+p.Address+".",
				"Set a port of 1024 or above, or give the right: setcap cap_net_bind_service=+ep, "+
					"AmbientCapabilities in systemd.")
		case errors.Is(err, syscall.EADDRNOTAVAIL):
			return c.wrong(p.Address+" is not an address of this machine.",
				"Set "+p.Flag+" to one that it has; :PORT is all of them.")
		}
		return c.wrong(p.Address+" cannot be listened on: "+causeOf(err)+".", "Correct "+p.Flag+".")
	}
	return c
}
