package main

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"
)

// version prints the version of the build.
func version(_ context.Context, _ *config, stdout, _ io.Writer) error {
	info, _ := debug.ReadBuildInfo()
	_, err := fmt.Fprintln(stdout, describe(info))
	return err
}

// describe describes a build in one line: version, commit, Go.
func describe(info *debug.BuildInfo) string {
	if info == nil {
		return "gateway (unknown build)"
	}
	number := info.Main.Version
	if number == "" || number == "(devel)" {
		number = "devel"
	}
	line := "gateway " + number
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	if commit := settings["vcs.revision"]; commit != "" {
		line += " " + commit
		if settings["vcs.modified"] == "true" {
			line += " modified"
		}
	}
	return line + " " + info.GoVersion
}
