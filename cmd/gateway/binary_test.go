package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// binaries is the directory in which the program is built.
var binaries string

// releaseFlags are those of ./release, with other values.
const releaseFlags = "-X main.release=v9.8.7 -X main.commit=abc -X main.date=2026-11-23T10:00:00Z"

// buildOnce builds the program as it is released.
var buildOnce = sync.OnceValues(func() (string, error) {
	path := filepath.Join(binaries, "gateway")
	cmd := exec.CommandContext(context.Background(), "go", "build", "-tags", "grpcnotrace", "-ldflags", releaseFlags, "-o", path, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // which a test with the race detector has not
	if out, err := cmd.CombinedOutput(); err != nil {
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
