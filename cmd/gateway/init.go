package main

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/agui-gateway/gateway/examples/teams"
)

// starter is the team file that init writes without a kind. A test reads it.
//
//go:embed starter.yaml
var starter []byte

// teamName is the name of the team file in each folder of package teams.
const teamName = "team.yaml"

// A kind is a team with golden conversations that init writes.
type kind struct {
	name, about string
	folder      string // of package teams
}

// kinds returns the kinds in the order in which init lists them.
func kinds() []kind {
	return []kind{
		{"support", "sorts requests of customers, and passes each to the team that can help", "support"},
		{"research", "researches, writes a draft, and has a person accept it", "research-desk"},
		{"panel", "has experts judge at the same time, and a judge decide", "panel"},
		{"travel", "plans trips, with questions about flights and hotels", "travel"},
		{"mcp", "reads and writes files by an MCP server, with approvals", "mcp"},
	}
}

// initSettings are the settings of init.
func initSettings(c *config) []setting {
	settings := c.settingsNamed("config")
	settings[0].help = "team file to write, without one gateway.yaml; for a KIND also a directory, without one KIND"
	return settings
}

// initTeam writes the starter team file, or a team of a kind. It never overwrites a file.
func initTeam(_ context.Context, c *config, stdout, _ io.Writer) error {
	if c.operand != "" {
		return initKind(c.operand, c.team, stdout)
	}
	path := cmp.Or(c.team, "gateway.yaml")
	if err := createFile(path, starter); err != nil {
		return err
	}
	_, err := fmt.Fprintf(stdout, `%[1]s is written. Next:

  gateway validate -config %[1]s   check it, after each change
  gateway -config %[1]s            serve it on http://127.0.0.1:8080
  curl http://127.0.0.1:8080/agents          list its agents
`, path)
	return err
}

// initKind writes the team of a kind to path, which is a file or a directory, and its conversations beside it. Without
// a path they are written into a directory with the name of the kind.
func initKind(name, path string, stdout io.Writer) error {
	i := slices.IndexFunc(kinds(), func(k kind) bool { return k.name == name })
	if i < 0 {
		return usageError{unknownKind(name)}
	}
	if info, err := os.Stat(path); path == "" || strings.HasSuffix(path, "/") || err == nil && info.IsDir() {
		path = filepath.Join(cmp.Or(path, name), teamName)
	}
	names, files, err := kinds()[i].files(path)
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, err := os.Lstat(name); err == nil {
			return existsError(name)
		}
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for i, name := range names {
		if err := createFile(name, files[i]); err != nil {
			return err
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "A team that %s is written:\n\n  %s\n\nNext:\n\n", kinds()[i].about, strings.Join(names, "\n  "))
	for _, next := range [][2]string{
		{"gateway test " + dir, "play its conversations, without a model"},
		{"export OPENAI_API_KEY=KEY", "or OPENAI_BASE_URL=URL: the server of its model"},
		{"gateway validate -config " + path, "check it, after each change"},
		{"gateway -config " + path, "serve it on http://127.0.0.1:8080"},
	} {
		fmt.Fprintf(&b, "  %-*s  %s\n", len("gateway validate -config "+path), next[0], next[1])
	}
	_, err = io.WriteString(stdout, b.String())
	return err
}

// files returns the files of a kind and their paths, with the team file at path first.
func (k kind) files(path string) (paths []string, files [][]byte, err error) {
	entries, err := teams.Files.ReadDir(k.folder)
	if err != nil {
		return nil, nil, err
	}
	base := filepath.Base(path)
	for _, entry := range entries {
		data, err := teams.Files.ReadFile(k.folder + "/" + entry.Name())
		if err != nil {
			return nil, nil, err
		}
		if entry.Name() == teamName {
			paths, files = slices.Insert(paths, 0, path), slices.Insert(files, 0, data)
			continue
		}
		if base != teamName { // conversations name their team file
			data = bytes.Replace(data, []byte("\nteam: "+teamName+"\n"), []byte("\nteam: "+strconv.Quote(base)+"\n"), 1)
		}
		paths = append(paths, filepath.Join(filepath.Dir(path), entry.Name()))
		files = append(files, data)
	}
	return paths, files, nil
}

// unknownKind lists the kinds.
func unknownKind(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "there is no kind %q of team; write `gateway init KIND` with one of these, or `gateway init` for "+
		"a commented starter file:\n", name)
	for _, k := range kinds() {
		fmt.Fprintf(&b, "\n  %-10s a team that %s", k.name, k.about)
	}
	return b.String()
}

// createFile writes a new file.
func createFile(path string, data []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return existsError(path)
	}
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	return errors.Join(err, file.Close())
}

func existsError(path string) error {
	return fmt.Errorf("%s is there already; remove it, or name another with -config FILE", path)
}
