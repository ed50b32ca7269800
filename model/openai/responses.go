package openai

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/agui-gateway/gateway/model/internal/provider"
)

// responsesURL is where responses are asked for. Azure has them beside its deployments.
func (m *Model) responsesURL() (string, error) {
	base, err := url.Parse(m.o.BaseURL)
	if err != nil {
		return "", errors.New("model: the base URL is none")
	}
	if m.o.Provider == "azure" && !strings.HasSuffix(strings.TrimRight(base.Path, "/"), "/openai/v1") {
		base = base.JoinPath("openai", "v1")
	}
	base = base.JoinPath("responses")
	if m.o.Provider == "azure" && m.o.APIVersion != "" {
		query := base.Query()
		query.Set("api-version", m.o.APIVersion)
		base.RawQuery = query.Encode()
	}
	return base.String(), nil
}

// tryResponses makes one request of the Responses API and reads its reply.
func (m *Model) tryResponses(ctx context.Context, body []byte, t *provider.Try) error {
	address, err := m.responsesURL()
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return errors.New("model: the request cannot be made") // the error may quote a password
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "text/event-stream")
	m.sign(r)
	answer, err := t.Send(r, statusFault)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }() // the reply is read, or given up
	reader := responsesReader{Draft: &t.Draft, origin: m.origin(), items: map[string]*outputItem{}}
	events := newEventReader(answer.Body)
	for {
		data, err := events.next()
		if errors.Is(err, io.EOF) || err != nil && t.Finished() != "" {
			return reader.end() // data after the last event does not matter
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return err
		}
		if t.Finished() != "" {
			continue
		}
		if err := reader.add(data); err != nil {
			return err
		}
		if t.Finished() != "" {
			t.WaitForUsage()
		}
	}
}
