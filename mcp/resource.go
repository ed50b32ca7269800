package mcp

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agui-gateway/gateway/internal/clip"
)

// ReadResource returns the text of a resource of the server, at most Options.MaxResult bytes. Parts that are not text
// are left out. The error is for the log: it has neither secrets nor what the resource says.
func (s *Server) ReadResource(ctx context.Context, uri string) (string, error) {
	result, err := query(ctx, s, func(ctx context.Context, c *sdk.ClientSession) (*sdk.ReadResourceResult, error) {
		return c.ReadResource(ctx, &sdk.ReadResourceParams{URI: uri})
	})
	if err != nil {
		return "", err
	}
	var texts []string
	for _, c := range result.Contents {
		if c != nil && c.Text != "" {
			texts = append(texts, c.Text)
		}
	}
	if texts == nil {
		return "", s.mask(errors.New("a resource without text"))
	}
	return clip.To(strings.Join(texts, "\n"), s.o.MaxResult), nil
}

// Prompt returns the text of a prompt of the server, filled in with arguments, at most Options.MaxResult bytes: the
// texts of its messages, one after the other. The error is for the log.
func (s *Server) Prompt(ctx context.Context, name string, arguments map[string]string) (string, error) {
	result, err := query(ctx, s, func(ctx context.Context, c *sdk.ClientSession) (*sdk.GetPromptResult, error) {
		return c.GetPrompt(ctx, &sdk.GetPromptParams{Name: name, Arguments: arguments})
	})
	if err != nil {
		return "", err
	}
	var texts []string
	for _, m := range result.Messages {
		if m == nil {
			continue
		}
		if p, ok := partOf(m.Content); ok && p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	if texts == nil {
		return "", s.mask(errors.New("a prompt without text"))
	}
	return clip.To(strings.Join(texts, "\n\n"), s.o.MaxResult), nil
}

// askTimeout is how long a resource or a prompt may take by default.
const askTimeout = 30 * time.Second

// An answer is a result that may ask a person, which only calls of tools can here.
type answer interface{ NeedsInput() bool }

// query asks the server for something that changes nothing, so that it may ask again when the connection was lost.
func query[R answer](ctx context.Context, s *Server,
	f func(context.Context, *sdk.ClientSession) (R, error)) (result R, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, cmp.Or(s.o.CallTimeout, askTimeout), errNoAnswer)
	defer cancel()
	for again := false; ; again = true {
		conn, err := s.connected(ctx)
		if err != nil {
			return result, s.connectionError(err)
		}
		stop := s.probeAfter(ctx, conn)
		calling, done, err := conn.call(ctx, given{})
		if err == nil {
			result, err = f(calling, conn.session)
			done()
		}
		stop()
		switch {
		case err == nil && result.NeedsInput():
			return result, s.mask(errors.New("it asks a person, which is possible in calls of tools only"))
		case err == nil:
			return result, nil
		case ctx.Err() != nil:
			return result, s.connectionError(context.Cause(ctx))
		case refusal(err) != nil:
			return result, s.mask(err)
		}
		s.drop(conn, err)
		if again {
			return result, s.connectionError(err)
		}
	}
}
