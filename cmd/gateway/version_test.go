package main

import (
	"encoding/json"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

// TestBuild shows what `gateway version` makes of what the go command notes in a binary.
func TestBuild(t *testing.T) {
	t.Parallel()
	setting := func(key, value string) debug.BuildSetting { return debug.BuildSetting{Key: key, Value: value} }
	platform := runtime.GOOS + "/" + runtime.GOARCH
	tests := []struct {
		name string
		info *debug.BuildInfo
		want string
	}{
		{"nothing is noted", nil, "gateway devel " + runtime.Version() + " " + platform},
		{"built outside of git", &debug.BuildInfo{GoVersion: "go1.26", Main: debug.Module{Version: "(devel)"}}, "gateway devel go1.26 " + platform},
		{"installed as a module", &debug.BuildInfo{GoVersion: "go1.26", Main: debug.Module{Version: "v1.2.3"}}, "gateway v1.2.3 go1.26 " + platform},
		{"built in a checkout", &debug.BuildInfo{GoVersion: "go1.26", Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{
			setting("vcs.revision", "abc"), setting("vcs.modified", "true"), setting("vcs.time", "2026-11-23T10:00:00Z"),
		}}, "gateway v1.2.3 abc modified 2026-11-23T10:00:00Z go1.26 " + platform},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := buildOf(tt.info).String(); got != tt.want {
				t.Errorf("String() = %q, want %q", got, tt.want)
			}
		})
	}
}

// releaseVersion asks the binary what it is.
func releaseVersion(t *testing.T, binary string) {
	t.Helper()
	line, err := exec.CommandContext(t.Context(), binary, "version").Output()
	if err != nil || !strings.HasPrefix(string(line), "gateway v9.8.7 abc ") || !strings.Contains(string(line), " 2026-11-23T10:00:00Z "+runtime.Version()+" ") {
		t.Errorf("gateway version = %q, %v", line, err)
	}
	out, err := exec.CommandContext(t.Context(), binary, "version", "-json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var got build
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("gateway version -json = %q: %v", out, err)
	}
	want := build{
		Version: "v9.8.7", Commit: "abc", Modified: got.Modified, Date: "2026-11-23T10:00:00Z",
		GoVersion: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	if got != want {
		t.Errorf("gateway version -json = %+v, want %+v", got, want)
	}
}
