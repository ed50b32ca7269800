package groupchat

import (
	"context"
	"errors"
	"iter"
	"maps"
	"net/http"
	"testing"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/client"
	"github.com/agui-gateway/gateway/groupchat/failure"
)

// A taskServer replaces a client of a protocol in which a request begins a task: it notes the requests, names a task,
// and follows the test's script.
type taskServer struct {
	asked []client.Request
	fails int // so many requests fail once they have begun
}

func (s *taskServer) Run(_ context.Context, r client.Request) iter.Seq2[agui.Event, error] {
	return func(yield func(agui.Event, error) bool) {
		s.asked = append(s.asked, r)
		if err := r.Begins("task of " + r.Input.RunID); err != nil {
			yield(nil, err)
			return
		}
		yield(&agui.RunStarted{ThreadID: r.Input.ThreadID, RunID: r.Input.RunID}, nil)
		yield(&agui.ActivitySnapshot{MessageID: r.Input.RunID, ActivityType: "x", Content: []byte("{}")}, nil)
		if s.fails--; s.fails >= 0 {
			yield(nil, errors.New("cut"))
			return
		}
		yield(&agui.RunFinished{ThreadID: r.Input.ThreadID, RunID: r.Input.RunID}, nil)
	}
}

func (s *taskServer) Probe(context.Context, http.Header) error { return nil }
func (s *taskServer) Host() string                             { return "far" }
func (s *taskServer) String() string                           { return "far" }
func (s *taskServer) Description() string                      { return "as its card says" }

// A request's task is known to the process that sends it again, and not to a separate try; and a client that has
// answered, if only by an activity, learns which part of the conversation is new.
func TestRemoteRequestsThatBegin(t *testing.T) {
	t.Parallel()
	s := &taskServer{}
	far := remote(t, RemoteOptions{URL: "http://far", Client: s})
	equal(t, "description", far.Describe().Description, "as its card says")
	r := newRig(t, legalDesk(far, failure.Policy{Retries: 1}))
	must(t, r.say("one").err)
	must(t, r.run(Session{Memo: maps.Clone(r.onces), Takeover: true}).err)
	first, again := s.asked[0], s.asked[1]
	equal(t, "begun", []string{first.Begun, again.Begun}, []string{"", "task of " + first.Input.RunID})
	equal(t, "run", again.Input.RunID, first.Input.RunID)

	s.fails = 1
	must(t, r.say("two").err)
	failed, tried := s.asked[2], s.asked[3]
	for _, r := range []client.Request{failed, tried} {
		equal(t, "begun", r.Begun, "")
		equal(t, "new", texts(r.Input.Messages[r.Known:]), []string{"closer: done", "closer: done", "two"}) // it was twice there
	}
}
