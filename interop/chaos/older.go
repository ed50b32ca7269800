package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// olderSource is the source of the replica of an older version with the present format; see keep-older.sh.
//
//go:embed testdata/older.tar.gz
var olderSource []byte

// buildOlder builds the replica of the older version, and returns its path.
func buildOlder(ctx context.Context, dir string) (string, error) {
	source := filepath.Join(dir, "source")
	if err := unpack(olderSource, source); err != nil {
		return "", fmt.Errorf("the older version's source: %w", err)
	}
	binary := filepath.Join(dir, "older")
	// Where the source stands is not in the result, so that it comes from the compiler's cache the next time.
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", binary, "./interop/chaos/replica")
	build.Dir, build.Stderr = source, os.Stderr
	if err := build.Run(); err != nil {
		return "", fmt.Errorf("go build of the older version: %w", err)
	}
	return binary, os.RemoveAll(source)
}

// unpack writes the files of an archive to a directory, and nowhere else.
func unpack(archive []byte, dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	packed, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return errors.Join(err, root.Close())
	}
	for files := tar.NewReader(packed); ; {
		head, err := files.Next()
		if errors.Is(err, io.EOF) {
			return root.Close()
		}
		if err == nil {
			err = unpackFile(root, head.Name, files)
		}
		if err != nil {
			return errors.Join(err, root.Close())
		}
	}
}

func unpackFile(root *os.Root, name string, content io.Reader) error {
	if err := root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	raw, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	return root.WriteFile(name, raw, 0o600)
}
