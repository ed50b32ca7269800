package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/moby/buildkit/client/llb"
	"github.com/moby/buildkit/client/llb/sourceresolver"
	"github.com/moby/buildkit/frontend/dockerfile/dockerfile2llb"
	"github.com/opencontainers/go-digest"
)

// lintDockerfile returns an error for what BuildKit would refuse, or would warn of.
func lintDockerfile(ctx context.Context, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	definition, err := llb.Scratch().Marshal(ctx)
	if err != nil {
		return err
	}
	options := dockerfile2llb.ConvertOpt{
		MetaResolver: unknownImages{},
		SourceMap:    &llb.SourceMap{Filename: path, Language: "Dockerfile", Data: text, Definition: definition},
	}
	result, err := dockerfile2llb.DockerfileLint(ctx, text, options)
	if err != nil {
		return err
	}
	var problems []error
	if result.Error != nil {
		problems = append(problems, fmt.Errorf("%s: %s", path, result.Error.Message))
	}
	for _, w := range result.Warnings {
		line := int32(0)
		if ranges := w.Location.GetRanges(); len(ranges) > 0 {
			line = ranges[0].GetStart().GetLine()
		}
		problems = append(problems, fmt.Errorf("%s:%d: %s: %s", path, line, w.RuleName, w.Detail))
	}
	return errors.Join(problems...)
}

// unknownImages knows nothing of base images, so that no registry is asked.
type unknownImages struct{}

func (unknownImages) ResolveImageConfig(_ context.Context, ref string,
	_ sourceresolver.Opt) (string, digest.Digest, []byte, error) {
	return ref, "", []byte(`{"os":"linux","architecture":"amd64","rootfs":{"type":"layers"}}`), nil
}
