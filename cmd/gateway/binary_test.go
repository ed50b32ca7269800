package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// binaries is the directory in which the program is built.
var binaries string

// buildOnce builds the program as it is released.
var buildOnce = sync.OnceValues(func() (string, error) {
	path := filepath.Join(binaries, "gateway")
	if out, err := exec.CommandContext(context.Background(), "go", "build", "-tags", "grpcnotrace", "-o", path, ".").CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
})

// builtGateway returns the path of the program, for tests of what only a process has. All tests share it.
func builtGateway(t *testing.T) string {
	t.Helper()
	path, err := buildOnce()
	if err != nil {
		t.Fatal(err)
	}
	return path
}
