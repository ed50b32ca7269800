package modeltest

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/model"
)

// A Model is a language model that speaks from a script: each request gets the first of its replies that is for it and
// was not given yet. What no reply is for fails the test, and the call with the code model_request; so does, when the
// test ends, a reply that was not given. It is safe for concurrent use.
type Model struct {
	t T

	mu      sync.Mutex
	replies []*Reply
	asked   []Request
}

// A Request is one that a [Model] was asked.
type Request struct {
	model.Request
	// Speaker is the path of who asked, as far as that is known: see [Speakers].
	Speaker string
}

// Last is the text of the last message.
func (r Request) Last() string {
	if len(r.Messages) == 0 {
		return ""
	}
	return r.Messages[len(r.Messages)-1].Text
}

// New returns a model with these replies. The test fails if it ends and some were not given.
func New(t T, replies ...Reply) *Model {
	m := &Model{t: t}
	m.Add(replies...)
	cleanUp(t, func() {
		t.Helper()
		for _, r := range m.Unused() {
			t.Errorf("nobody asked for the reply %s", &r)
		}
	})
	return m
}

// Add adds replies behind those that there are.
func (m *Model) Add(replies ...Reply) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range replies {
		m.replies = append(m.replies, &r)
	}
}

// Stream answers r from the script.
func (m *Model) Stream(ctx context.Context, r model.Request, on model.Deltas) (model.Reply, error) {
	if ctx.Err() != nil {
		return model.Reply{}, context.Cause(ctx)
	}
	speaker := Speaker(ctx)
	reply := m.next(Request{Request: r, Speaker: speaker})
	if reply == nil {
		asked := Request{Request: r}
		m.t.Errorf("the model has no reply for %s, who says at last %q", orAnybody(speaker), asked.Last())
		return model.Reply{},
			&errcode.Error{Code: errcode.ModelRequest, Err: errors.New("the script has no reply for this")}
	}
	return reply.say(on)
}

// next takes the reply for a request; nil if there is none.
func (m *Model) next(r Request) *Reply {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = append(m.asked, r)
	for _, reply := range m.replies {
		if reply.open(r.Speaker, r.Request) {
			reply.given++
			given := *reply
			return &given
		}
	}
	return nil
}

// Identity is that of a model of a script.
func (m *Model) Identity() (provider, name string) { return "script", "script" }

// Requests are those that the model was asked, in the order in which they came.
func (m *Model) Requests() []Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.asked)
}

// Unused are the replies that were not given as often as they are to be.
func (m *Model) Unused() []Reply {
	m.mu.Lock()
	defer m.mu.Unlock()
	var left []Reply
	for _, r := range m.replies {
		if r.missing() > 0 {
			left = append(left, *r)
		}
	}
	return left
}

func orAnybody(speaker string) string {
	if speaker == "" {
		return "somebody"
	}
	return speaker
}

// speakerKey is the context key of the path of a model's caller.
type speakerKey struct{}

// Speakers returns hooks that add a model's caller to the context: the path of the turn, or the name of the thread's
// agent. Threads of groupchattest have them; another host needs them for [Reply.To].
func Speakers() groupchat.Hooks {
	return groupchat.Hooks{Name: "speakers",
		Model: func(ctx context.Context, c groupchat.ModelCall, next groupchat.ModelFunc) (model.Reply, error) {
			return next(context.WithValue(ctx, speakerKey{}, speakerOf(c)), c)
		}}
}

// Speaker returns the caller of the model that gets ctx, or "".
func Speaker(ctx context.Context) string {
	speaker, _ := ctx.Value(speakerKey{}).(string)
	return speaker
}

func speakerOf(c groupchat.ModelCall) string {
	switch {
	case c.Turn == nil:
		return ""
	case c.Purpose == model.ForChoice || c.Purpose == model.ForPlan:
		return "supervisor"
	case c.Turn.Path() == "":
		return c.Turn.Input().Agent
	default:
		return c.Turn.Path()
	}
}

// A T is what tests report to: a *testing.T, *testing.B, *testing.F or *rapid.T.
type T interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// A cleaner calls functions when the test has ended.
type cleaner interface{ Cleanup(f func()) }

// cleanUp calls f when the test has ended, if t can tell.
func cleanUp(t T, f func()) {
	if c, ok := t.(cleaner); ok {
		c.Cleanup(f)
	}
}
