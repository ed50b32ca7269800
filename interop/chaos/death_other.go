//go:build !linux

package main

import "os/exec"

// dieWithParent does nothing where the kernel has no word for it.
func dieWithParent(*exec.Cmd) {}
