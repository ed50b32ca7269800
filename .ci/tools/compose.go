package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/compose-spec/compose-go/v2/cli"
)

// checkCompose loads a compose file as docker compose does: against the schema of the specification, with variables put
// in and every name of a service, network, volume and secret looked up.
func checkCompose(ctx context.Context, path string) error {
	options, err := cli.NewProjectOptions([]string{path}, cli.WithWorkingDirectory(filepath.Dir(path)),
		cli.WithEnv(nil), cli.WithConsistency(true))
	if err != nil {
		return err
	}
	project, err := options.LoadProject(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for name, service := range project.Services {
		if service.Build == nil && service.Image == "" {
			return fmt.Errorf("%s: %s has neither an image nor a build", path, name)
		}
	}
	return nil
}
