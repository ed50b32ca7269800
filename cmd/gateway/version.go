package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
)

// The values set by a release with -ldflags "-X main.release=v1.2.3 -X main.commit=… -X main.date=…". Other builds use
// the go command's build info: the version of `go install …@v1.2.3`, the commit of a checkout.
var release, commit, date string

// A build describes a binary. Unknown members are empty.
type build struct {
	Version   string `json:"version"`            // "devel" if it is no release
	Commit    string `json:"commit,omitempty"`   // of git
	Modified  bool   `json:"modified,omitempty"` // the checkout had changes that were not committed
	Date      string `json:"date,omitempty"`     // of the commit, RFC 3339
	GoVersion string `json:"goVersion"`
	Platform  string `json:"platform"` // as in GOOS/GOARCH
}

func thisBuild() build {
	info, _ := debug.ReadBuildInfo()
	b := buildOf(info)
	b.Version, b.Commit, b.Date = cmp.Or(release, b.Version), cmp.Or(commit, b.Commit), cmp.Or(date, b.Date)
	return b
}

// buildOf describes a build from the go command's build info, which may be nil.
func buildOf(info *debug.BuildInfo) build {
	b := build{Version: "devel", GoVersion: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info == nil {
		return b
	}
	b.GoVersion = info.GoVersion
	if v := info.Main.Version; v != "" && v != "(devel)" {
		b.Version = v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Date = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

// String is one line: version, commit, date, Go and platform.
func (b build) String() string {
	words := []string{"gateway", b.Version}
	if b.Commit != "" {
		words = append(words, b.Commit)
	}
	if b.Modified {
		words = append(words, "modified")
	}
	if b.Date != "" {
		words = append(words, b.Date)
	}
	return strings.Join(append(words, b.GoVersion, b.Platform), " ")
}

func version(_ context.Context, c *config, stdout, _ io.Writer) error {
	b := thisBuild()
	if c.json {
		return json.NewEncoder(stdout).Encode(b)
	}
	_, err := fmt.Fprintln(stdout, b)
	return err
}
