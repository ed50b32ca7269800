package main

import (
	"os/exec"
	"runtime"
	"syscall"
)

// A process is a child of this one.
type process struct {
	cmd   *exec.Cmd
	ended chan struct{}
}

// launch starts cmd.
func launch(cmd *exec.Cmd) (*process, error) {
	dieWithParent(cmd)
	p := &process{cmd: cmd, ended: make(chan struct{})}
	started := make(chan error, 1)
	go func() {
		defer close(p.ended)
		// The kernel takes the end of the thread that started a child for the parent's.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // it was killed; whoever needs it alive notices
		}
	}()
	return p, <-started
}

// kill ends the process as a crash does, and waits for its end.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended already
	<-p.ended
}

// signal sends s; the process may have ended already.
func (p *process) signal(s syscall.Signal) { _ = p.cmd.Process.Signal(s) }
