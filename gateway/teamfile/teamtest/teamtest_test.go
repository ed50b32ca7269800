package teamtest

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/agui-gateway/gateway/groupchat/modeltest"
)

var update = flag.Bool("update", false, "rewrite the reports in testdata")

// unpack writes the files of an archive into a new directory.
func unpack(t *testing.T, archive *txtar.Archive) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range archive.Files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// report plays the conversations in dir, and returns the report for people.
func report(t *testing.T, dir string, o Options) string {
	t.Helper()
	results, err := Run(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for _, r := range results {
		if err := r.Write(&out, false); err != nil {
			t.Fatal(err)
		}
	}
	return strings.ReplaceAll(out.String(), dir+string(filepath.Separator), "")
}

// TestReports plays the conversations in testdata: an archive has their files and the expected report.
func TestReports(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) < 4 {
		t.Fatalf("%d archives, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := report(t, unpack(t, archive), Options{})
			want := ""
			if last := len(archive.Files) - 1; archive.Files[last].Name == "report" {
				want = string(archive.Files[last].Data)
				archive.Files = archive.Files[:last]
			}
			if *update {
				archive.Files = append(archive.Files, txtar.File{Name: "report", Data: []byte(got)})
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != want {
				t.Errorf("people are told something else:\n%s", modeltest.Diff(want, got))
			}
		})
	}
}
