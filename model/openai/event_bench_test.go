package openai

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	sse "github.com/tmaxmax/go-sse"

	goopenai "github.com/sashabaranov/go-openai"
)

// BenchmarkEvents reads a stream of 200 events and what they add to a reply: with the reader of this package, with the
// one of go-sse, and with go-openai's, which docs/adr/0016-readers-of-model-streams.md compares.
func BenchmarkEvents(b *testing.B) {
	const events = 200
	stream := bytes.Repeat([]byte("data: "+plainChunks[0].raw+"\n\n"), events)
	for name, read := range map[string]func(io.Reader, func([]byte)) error{
		"own": func(body io.Reader, take func([]byte)) error {
			r := newEventReader(body)
			for {
				data, err := r.next()
				if err != nil {
					return err
				}
				take(data)
			}
		},
		"go-sse": func(body io.Reader, take func([]byte)) error {
			for e, err := range sse.Read(body, &sse.ReadConfig{MaxEventSize: maxEvent}) {
				if err != nil {
					return err
				}
				take([]byte(e.Data))
			}
			return io.EOF
		},
		"go-openai": func(body io.Reader, take func([]byte)) error {
			config := goopenai.DefaultConfig("")
			config.HTTPClient = answering200{body}
			s, err := goopenai.NewClientWithConfig(config).CreateChatCompletionStream(b.Context(), goopenai.ChatCompletionRequest{Model: "model"})
			if err != nil {
				return err
			}
			for {
				data, err := s.RecvRaw()
				if err != nil {
					return err
				}
				take(data)
			}
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				n := 0
				var shape plainShape
				err := read(bytes.NewReader(stream), func(data []byte) {
					if _, ok := shape.read(data); !ok {
						if c, at, ok := readPlain(data); ok {
							shape.keep(data, c, at)
						}
					}
					n++
				})
				if err != io.EOF || n != events { //nolint:errorlint // each of them returns it as it is
					b.Fatalf("%d events, %v", n, err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*events), "ns/event")
		})
	}
}

// An answering200 is an HTTP client that gets a stream for each request.
type answering200 struct{ body io.Reader }

func (a answering200) Do(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(a.body)}, nil
}
