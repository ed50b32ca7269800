package redistest

import (
	"os/exec"
	"syscall"
)

// dieWithParent ends the server with the test process, also when that is killed.
func dieWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
