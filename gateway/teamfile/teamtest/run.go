package teamtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/agui-gateway/gateway/gateway/teamfile"
)

// Options control how conversations are played. The zero value is valid.
type Options struct {
	// Load has the options of team files, as in a program that serves them. Its Substitutes are replaced.
	Load teamfile.Options
	// Team is the path of the team file of conversations that name none.
	Team string
	// Otherwise makes the team of conversations that name none, if Team is empty too; nil means that each has to name
	// one. A conversation without models gets a team without any.
	Otherwise func(o teamfile.Options) (*teamfile.Team, error)
	// Only selects conversations by their path; nil plays all.
	Only *regexp.Regexp
	// Record asks the real models where a conversation has recorded replies, and writes their files.
	Record bool
	// Update replaces expectations in the files that were not met by the real results.
	Update bool
	// Parallel is the number of conversations that are played at once; 0 means the number of processors.
	Parallel int
}

// maxFiles limits the conversations of one directory.
const maxFiles = 10_000

// ErrNone is returned if there is no conversation to play.
var ErrNone = errors.New("there is no conversation")

// Run plays the conversation in a file, or those below a directory in files named …_test.yaml or …_test.yml, several at
// once. The results are in the order of the paths and have the problems of the conversations. The error means that none
// could be found; it wraps [ErrNone] if there is none.
func Run(ctx context.Context, path string, o Options) ([]*Result, error) {
	files, err := find(path)
	if err != nil {
		return nil, err
	}
	if o.Only != nil {
		files = slices.DeleteFunc(files, func(file string) bool { return !o.Only.MatchString(filepath.ToSlash(file)) })
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%w: no file below %s is called …_test.yaml, or none that is to be played",
			ErrNone, path)
	}
	results := make([]*Result, len(files))
	room := make(chan struct{}, cmp.Or(o.Parallel, runtime.GOMAXPROCS(0)))
	var playing sync.WaitGroup
	for i, file := range files {
		room <- struct{}{}
		playing.Go(func() {
			defer func() { <-room }()
			results[i] = playFile(ctx, file, o)
		})
	}
	playing.Wait()
	return results, nil
}

func playFile(ctx context.Context, file string, o Options) *Result {
	c, err := read(file)
	if err != nil {
		r := &Result{File: file}
		r.fail(err, file)
		return r
	}
	return c.play(ctx, o)
}

// find lists the conversations at a path, sorted.
func find(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	var files []string
	err = filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != path && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules"):
			return filepath.SkipDir
		case entry.Type().IsRegular() &&
			(strings.HasSuffix(name, "_test.yaml") || strings.HasSuffix(name, "_test.yml")):
			files = append(files, name)
		}
		if len(files) > maxFiles {
			return fmt.Errorf("more than %d conversations below %s", maxFiles, path)
		}
		return nil
	})
	slices.Sort(files)
	return files, err
}
