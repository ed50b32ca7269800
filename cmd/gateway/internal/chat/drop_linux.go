package chat

import (
	"os"

	"golang.org/x/sys/unix"
)

func dropInput(terminal *os.File) {
	_ = unix.IoctlSetInt(int(terminal.Fd()), unix.TCFLSH, unix.TCIFLUSH) // other files have no input to discard
}
