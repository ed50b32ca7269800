package house

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/moby/patternmatcher"
	"github.com/moby/patternmatcher/ignorefile"
)

// TestImageBuildsFromItsContext carries out the stages of the Dockerfile that build, on exactly the files that
// .dockerignore lets into the builder, so that a package the build needs cannot be left outside. It needs no Docker
// daemon: base images are the tools of this machine, and the packages of the page are those that its lock file has
// installed here.
func TestImageBuildsFromItsContext(t *testing.T) {
	t.Parallel()
	sent := t.TempDir()
	if err := copyContext(root, sent); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(sent, "Dockerfile"))
	if errors.Is(err, fs.ErrNotExist) { // the builder is always given the Dockerfile, whatever is ignored
		text, err = os.ReadFile(filepath.Join(root, "Dockerfile"))
	}
	if err != nil {
		t.Fatal(err)
	}
	b := imageBuild{ctx: t.Context(), context: sent, stages: map[string]string{}, args: []string{"VERSION=v9.8.7", "COMMIT=abc"}}
	stages := stagesOf(string(text))
	for _, s := range stages[:len(stages)-1] {
		if err := b.build(t.TempDir(), s); err != nil {
			t.Fatalf("stage %s: %v", s.name, err)
		}
	}
	image := t.TempDir()
	if err := b.build(image, stages[len(stages)-1]); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), filepath.Join(image, "gateway"), "version").CombinedOutput()
	if err != nil || !bytes.HasPrefix(out, []byte("gateway v9.8.7 abc ")) {
		t.Errorf("gateway version in the image = %q, %v, want what the image was built with", out, err)
	}
	if info, err := os.Stat(filepath.Join(image, "data")); err != nil || !info.IsDir() {
		t.Errorf("the image has no directory for its volume: %v, %v", info, err)
	}
	if _, err := os.Stat(filepath.Join(b.stages["build"], "src", "web", "dist", "index.html.gz")); err != nil {
		t.Errorf("the binary was built without the page: %v", err)
	}
	runImage(t, image)
}

// TestContextMatches shows which files reach the builder, by the matcher that Docker itself uses.
func TestContextMatches(t *testing.T) {
	t.Parallel()
	from, to := t.TempDir(), t.TempDir()
	for _, name := range []string{"go.mod", "agui/run.go", "agui/run_test.go", "agui/testdata/x.json", "docs/design.md", "web/node_modules/x/index.js", "web/src/main.tsx"} {
		if err := os.MkdirAll(filepath.Join(from, path.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(from, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ignore := "# comment\n*\n!go.mod\n!agui\n!web\n**/node_modules\n**/testdata\n**/*_test.go\n"
	if err := os.WriteFile(filepath.Join(from, ".dockerignore"), []byte(ignore), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := copyContext(from, to); err != nil {
		t.Fatal(err)
	}
	var got []string
	err := fs.WalkDir(os.DirFS(to), ".", func(name string, d fs.DirEntry, err error) error {
		if !d.IsDir() {
			got = append(got, name)
		}
		return err
	})
	if want := "agui/run.go go.mod web/src/main.tsx"; err != nil || strings.Join(got, " ") != want {
		t.Errorf("copyContext() copied %v, %v, want %s", got, err, want)
	}
}

// copyContext copies what a build of the directory from would send to the builder.
func copyContext(from, to string) error {
	text, err := os.ReadFile(filepath.Join(from, ".dockerignore"))
	if err != nil {
		return err
	}
	patterns, err := ignorefile.ReadAll(bytes.NewReader(text))
	if err != nil {
		return err
	}
	ignored, err := patternmatcher.New(patterns)
	if err != nil {
		return err
	}
	return filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil || rel == "." {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules") {
			return fs.SkipDir // large, and no pattern lets them in again
		}
		out, err := ignored.MatchesOrParentMatches(filepath.ToSlash(rel))
		if err != nil || out || !d.Type().IsRegular() {
			return err
		}
		return copyFile(name, filepath.Join(to, rel))
	})
}

// copyTree copies the files and directories below from; files that are there already are replaced, as COPY does.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		}
		return copyFile(name, filepath.Join(to, rel))
	})
}

func copyFile(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, data, info.Mode().Perm())
}

// An imageBuild carries out stages, each in a directory as the root of its file system.
type imageBuild struct {
	ctx     context.Context // of the test
	context string
	stages  map[string]string // roots of the stages that are done, by name
	args    []string          // of the build, as NAME=value
}

// build carries out the instructions of s that make files, in root.
func (b *imageBuild) build(root string, s stage) error {
	dir := "/"
	for _, in := range s.body {
		var err error
		switch in.word {
		case "WORKDIR":
			dir = path.Join(dir, in.args)
			err = os.MkdirAll(filepath.Join(root, dir), 0o755)
		case "COPY":
			err = b.copy(root, dir, strings.Fields(in.args))
		case "RUN":
			err = b.run(filepath.Join(root, dir), in.args)
		}
		if err != nil {
			return fmt.Errorf("line %d: %s %s: %w", in.line, in.word, in.args, err)
		}
	}
	b.stages[s.name] = root
	return nil
}

// copy is COPY: files, or the contents of a directory, of the context or of another stage.
func (b *imageBuild) copy(root, dir string, args []string) error {
	from := b.context
	if name, ok := strings.CutPrefix(args[0], "--from="); ok {
		from, args = b.stages[name], args[1:]
	}
	if strings.HasPrefix(args[0], "--chown=") { // there is one user here
		args = args[1:]
	}
	last := len(args) - 1
	to := args[last]
	if !path.IsAbs(to) {
		to = path.Join(dir, to) + strings.Repeat("/", strings.Count(to, "/")-strings.Count(path.Clean(to), "/"))
	}
	for _, source := range args[:last] {
		info, err := os.Stat(filepath.Join(from, source))
		if err != nil {
			return err
		}
		target := filepath.Join(root, to)
		if info.IsDir() {
			if err := copyTree(filepath.Join(from, source), target); err != nil {
				return err
			}
			continue
		}
		if last > 1 || strings.HasSuffix(args[last], "/") || args[last] == "." || args[last] == "./" {
			target = filepath.Join(target, path.Base(source))
		}
		if err := copyFile(filepath.Join(from, source), target); err != nil {
			return err
		}
	}
	return nil
}

// run is RUN. Installing the page's packages again would take a minute, so those of the checkout are linked, if they
// are of the same lock file.
func (b *imageBuild) run(dir, command string) error {
	if strings.HasPrefix(command, "npm ci") {
		return linkPackages(dir)
	}
	cmd := exec.CommandContext(b.ctx, "sh", "-c", command)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), b.args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

func linkPackages(dir string) error {
	web, err := filepath.Abs(filepath.Join(root, "web"))
	if err != nil {
		return err
	}
	ours, err := os.ReadFile(filepath.Join(web, "package-lock.json"))
	if err != nil {
		return err
	}
	theirs, err := os.ReadFile(filepath.Join(dir, "package-lock.json"))
	if err != nil {
		return err
	}
	if !bytes.Equal(ours, theirs) {
		return errors.New("package-lock.json is not that of the checkout")
	}
	installed := filepath.Join(web, "node_modules")
	if _, err := os.Stat(filepath.Join(installed, ".package-lock.json")); err != nil {
		return fmt.Errorf("the page's packages are not installed (bash .ci/run install): %w", err)
	}
	return os.Symlink(installed, filepath.Join(dir, "node_modules"))
}
