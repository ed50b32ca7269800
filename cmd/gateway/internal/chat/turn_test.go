package chat

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/agui-gateway/gateway/agui/client"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A stopped is a terminal that accepts nothing until it is released, as after Ctrl-S.
type stopped struct {
	goOn <-chan struct{}
	strings.Builder
}

func (s *stopped) Write(p []byte) (int, error) {
	<-s.goOn
	return s.Builder.Write(p)
}

// TestASlowTerminalHoldsUpNoRun: the server has written all of a response, which is larger than connections buffer,
// before any of it is displayed.
func TestASlowTerminalHoldsUpNoRun(t *testing.T) {
	t.Parallel()
	written := make(chan struct{})
	piece := strings.Repeat("x", 64<<10)
	const pieces = 256
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		send := func(e string) {
			if _, err := io.WriteString(w, "data: "+e+"\n\n"); err != nil {
				t.Error(err)
			}
		}
		send(`{"type":"RUN_STARTED","threadId":"t","runId":"r"}`)
		send(`{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}`)
		for range pieces {
			send(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"` + piece + `"}`)
		}
		send(`{"type":"TEXT_MESSAGE_END","messageId":"m"}`)
		send(`{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`)
		close(written)
	}))
	defer server.Close()
	c, err := client.New(client.Options{URL: server.URL, HTTP: server.Client()})
	if err != nil {
		t.Fatal(err)
	}
	out := &stopped{goOn: written}
	err = Run(t.Context(), Options{Client: c, Agent: "desk", In: strings.NewReader("Hello"), Out: out, Err: io.Discard, NewID: func() string { return "id" }})
	if err != nil || out.Len() != pieces*len(piece)+1 {
		t.Errorf("Run() = %v, %d bytes were shown", err, out.Len())
	}
}
