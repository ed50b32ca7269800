package httptool

import (
	"encoding/json"
	"net/http"
	"testing"
)

// TestOriginOfATool compares tools that differ in address, account or placement of arguments.
func TestOriginOfATool(t *testing.T) {
	t.Parallel()
	origins := map[string]int{}
	for i, change := range []func(o *Options){
		func(*Options) {},
		func(o *Options) { o.URL = "http://live.test/pay" },
		func(o *Options) { o.Method = http.MethodPut },
		func(o *Options) { o.Headers = map[string]string{"Authorization": "Bearer live"} },
		func(o *Options) { o.Query = []string{"amount"} },
		func(o *Options) { o.Body = []string{"amount"} },
	} {
		for range 2 {
			o := Options{
				Name: "pay", Description: "Pays.", URL: "http://sandbox.test/pay", Method: http.MethodPost, Headers: map[string]string{"Authorization": "Bearer test"},
				Parameters: json.RawMessage(`{"type":"object","properties":{"amount":{"type":"integer"}}}`),
			}
			change(&o)
			tool, err := New(o)
			if err != nil {
				t.Fatal(err)
			}
			origins[tool.Origin] = i
		}
	}
	if len(origins) != 6 {
		t.Errorf("%d origins, want 6", len(origins))
	}
}
