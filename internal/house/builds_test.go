package house

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// ownFlags are the files with other build flags, because they run without .ci/env.sh. Released binaries, the image and
// the binaries of tests have the tag grpcnotrace: without it pages of gRPC keep the linker from leaving out 11 MB of
// unused code.
var ownFlags = []string{".ci/env.sh", "Dockerfile", "deploy/release/release.sh"}

// otherFlags matches flags of go build and go test that would compile everything once more.
var otherFlags = regexp.MustCompile(`\bgo (-C \S+ )?(build|test|run|vet|install)\b.*\s-(trimpath|tags|gcflags|asmflags|toolexec)\b`)

// TestOneSetOfBuildFlags wants all builds of CI and of make to share the flags of .ci/env.sh, and so the build cache.
func TestOneSetOfBuildFlags(t *testing.T) {
	t.Parallel()
	for _, file := range ownFlags {
		if text := read(t, root, file); !strings.Contains(text, "grpcnotrace") || !strings.Contains(text, "-trimpath") {
			t.Errorf("%s builds without -trimpath or the tag grpcnotrace", file)
		}
	}
	files := []string{"Makefile"}
	for _, dir := range []string{".ci", "interop", "bench", "web"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.Name() == "node_modules":
				return filepath.SkipDir
			case filepath.Ext(path) == ".sh" || entry.Name() == "run":
				rel, err := filepath.Rel(root, path)
				files = append(files, rel)
				return err
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(files) < 20 {
		t.Errorf("found %d files that may build, want at least 20", len(files))
	}
	for _, file := range files {
		for line := range strings.Lines(read(t, root, file)) {
			if otherFlags.MatchString(line) {
				t.Errorf("%s: %s builds with flags of its own, those of .ci/env.sh are for all builds", file, strings.TrimSpace(line))
			}
		}
	}
}
