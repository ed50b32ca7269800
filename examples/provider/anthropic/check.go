package anthropic

import (
	"context"
	"net/http"
)

// Check asks the API for the model, which costs nothing: whether it is there, takes the key and knows the name.
func (m *Model) Check(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, m.models, nil)
	if err != nil {
		return err
	}
	response, err := m.send(request)
	if err != nil {
		return faultOf(ctx, err).coded(m.String())
	}
	return response.Body.Close()
}
