package main

import (
	"os/exec"
	"syscall"
)

// dieWithParent ends the child with this process, also when that is killed.
func dieWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
