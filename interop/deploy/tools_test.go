// Package deploy tests the files of deploy/ with the programs that read them, and with the real binary.
package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// root is the checkout.
var root = filepath.Join("..", "..")

// tool returns the path of a program that `bash .ci/run install` brings.
func tool(t *testing.T, name string) string {
	t.Helper()
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(cache, "agui-gateway", "bin", name)
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%s is missing (bash .ci/run install): %v", name, err)
	}
	return path
}

// output runs a program and returns what it writes to both outputs.
func output(t *testing.T, program string, args ...string) (string, error) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput()
	return string(out), err
}
