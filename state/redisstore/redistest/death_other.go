//go:build !linux

package redistest

import "os/exec"

// dieWithParent does nothing where the kernel has no word for it.
func dieWithParent(*exec.Cmd) {}
