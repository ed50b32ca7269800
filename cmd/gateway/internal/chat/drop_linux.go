package chat

import (
	"os"

	"golang.org/x/sys/unix"
)

// dropInput forgets what the terminal has of input that nobody has read.
func dropInput(terminal *os.File) {
	_ = unix.IoctlSetInt(int(terminal.Fd()), unix.TCFLSH, unix.TCIFLUSH) // of what is no terminal there is nothing to forget
}
