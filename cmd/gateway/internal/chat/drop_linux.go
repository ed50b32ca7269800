package chat

import (
	"os"

	"golang.org/x/sys/unix"
)

// dropInput discards unread input of the terminal.
func dropInput(terminal *os.File) {
	_ = unix.IoctlSetInt(int(terminal.Fd()), unix.TCFLSH, unix.TCIFLUSH) // other files have no input to discard
}
