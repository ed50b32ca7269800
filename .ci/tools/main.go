// Command deploycheck judges deployment files with the libraries of those who will read them: BuildKit's linter for
// Dockerfiles, the Compose specification's own loader and JSON schema for compose files.
//
//	deploycheck dockerfile FILE    exit 1, and a line for each warning
//	deploycheck compose FILE       exit 1, and the first thing that is wrong
//
// It is a separate module, because the gateway needs none of these libraries. It needs neither a daemon nor a registry.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "deploycheck: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) != 2 {
		return errors.New("write deploycheck dockerfile FILE, or deploycheck compose FILE")
	}
	switch args[0] {
	case "dockerfile":
		return lintDockerfile(ctx, args[1])
	case "compose":
		return checkCompose(ctx, args[1])
	}
	return fmt.Errorf("there is no command %q", args[0])
}
