package main

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// starter is the team file that init writes. A test reads it.
//
//go:embed starter.yaml
var starter []byte

// initTeam writes the starter team file. It never overwrites a file.
func initTeam(_ context.Context, c *config, stdout, _ io.Writer) error {
	path := cmp.Or(c.team, "gateway.yaml")
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already; remove it, or name another with -config FILE", path)
	}
	if err != nil {
		return err
	}
	_, err = file.Write(starter)
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, `%[1]s is written. Next:

  gateway validate -config %[1]s   check it, after each change
  gateway -config %[1]s            serve it on http://127.0.0.1:8080
  curl http://127.0.0.1:8080/agents          list its agents
`, path)
	return err
}
