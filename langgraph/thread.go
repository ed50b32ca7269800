package langgraph

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/client"
	"github.com/agui-gateway/gateway/internal/exact"
)

// runKey is the member of a run's metadata that holds our id of the run. The server hands it on to the thread's state.
const runKey = "gateway_run"

// isOurs reports whether metadata is that of our run id; without one, of any run of ours.
func isOurs(metadata map[string]json.RawMessage, id string) bool {
	var run string
	_ = exact.Unmarshal(metadata[runKey], &run) // any other value is not ours
	return run != "" && (id == "" || run == id)
}

// A threadState is how a thread at the server stands.
type threadState struct {
	Values   json.RawMessage            `json:"values"`
	Next     []string                   `json:"next"`
	Metadata map[string]json.RawMessage `json:"metadata"`
	Tasks    []struct {
		ID         string          `json:"id"`
		Error      json.RawMessage `json:"error"`
		Interrupts []struct {
			ID    string          `json:"id"`
			Value json.RawMessage `json:"value"`
		} `json:"interrupts"`
	} `json:"tasks"`

	members  map[string]json.RawMessage // of Values, if that is an object
	messages []message
}

func (a *answer) state() (threadState, error) {
	var s threadState
	if err := a.s.Ask(a.call(http.MethodGet, nil, "state"), &s); err != nil {
		return s, err
	}
	s.members = membersOf(s.Values)
	s.messages = messagesOf(s.members[messagesKey])
	return s, nil
}

// membersOf returns the members of an object, or none.
func membersOf(raw json.RawMessage) map[string]json.RawMessage {
	var members map[string]json.RawMessage
	_ = exact.Unmarshal(raw, &members)
	return members
}

type question struct {
	theirs string // its id at the server, empty if it has none
	id     string // as we tell it
	value  json.RawMessage
}

// questions are the interrupts that the thread waits with. The server gives every question of one node the same id, so
// our ids also depend on the content: an answer must not reach another question.
func (s *threadState) questions() []question {
	var list []question
	seen := map[string]bool{}
	for _, task := range s.Tasks {
		for i, asked := range task.Interrupts {
			q := question{theirs: asked.ID, value: asked.Value}
			if len(q.value) == 0 {
				q.value = json.RawMessage("null")
			}
			sum := sha256.Sum256(canonical(q.value))
			q.id = cmp.Or(asked.ID, task.ID+"/"+strconv.Itoa(i)) + "." + hex.EncodeToString(sum[:6])
			if !seen[q.id] {
				seen[q.id] = true
				list = append(list, q)
			}
		}
	}
	return list
}

func canonical(raw json.RawMessage) []byte {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var v any
	if decoder.Decode(&v) != nil {
		return raw
	}
	out, err := json.Marshal(v)
	if err != nil {
		return raw // decoded values can be encoded
	}
	return out
}

type plan struct {
	served bool   // its run is over, and its result is in the thread
	off    bool   // its questions are called off, and nothing else
	clear  bool   // the thread waits for nothing else
	join   string // its run is at work
	body   *runRequest
}

// prepare makes the thread ready and finds out how the request is to be served.
func (a *answer) prepare() (plan, error) {
	in := a.request.Input
	var thread statusOf
	var err error
	if len(in.Resume) == 0 {
		err = a.s.Ask(client.Call{Method: http.MethodPost, Path: []string{"threads"}, Body: map[string]string{
			"thread_id": in.ThreadID, "if_exists": "do_nothing",
		}}, &thread)
	} else {
		err = a.s.Ask(a.call(http.MethodGet, nil), &thread) // one that was forgotten has no question to be answered
	}
	if err != nil {
		return plan{}, err
	}
	var join string
	if thread.Status == "busy" {
		if join, err = a.settle(); err != nil {
			return plan{}, err
		}
	}
	if a.before, err = a.state(); err != nil {
		return plan{}, err
	}
	questions := a.before.questions()
	served := isOurs(a.before.Metadata, in.RunID) && (len(a.before.Next) == 0 || len(questions) > 0)
	a.remember(join != "" || served)
	if join != "" || served {
		return plan{join: join, served: served && join == ""}, nil
	}
	if len(in.Resume) > 0 {
		return a.resume(questions)
	}
	return plan{body: a.fresh()}, nil
}

// remember notes which messages the run did not make: ours, and those of the thread before it. If it has begun, those
// are the ones up to the newest that is ours, too.
func (a *answer) remember(begun bool) {
	a.old = map[string]bool{}
	for _, m := range a.request.Input.Messages {
		a.old[m.ID] = true
	}
	end := len(a.before.messages)
	if begun {
		for end > 0 && !a.old[a.before.messages[end-1].ID] {
			end--
		}
	}
	for _, m := range a.before.messages[:end] {
		a.old[m.ID] = true
	}
}

// active are the runs of the thread that have not ended.
func (a *answer) active(s *client.Session) ([]statusOf, error) {
	var all []statusOf
	for _, status := range []string{"running", "pending"} {
		var list []statusOf
		call := a.call(http.MethodGet, nil, "runs")
		call.Query = query("status", status)
		if err := s.Ask(call, &list); err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

// settling is how long a run that is being cancelled may take to end; settlePause is between two looks.
const (
	settling    = 10 * time.Second
	settlePause = 200 * time.Millisecond
)

// settle returns the run of this very request if that is at work. Another run of ours is abandoned, because its turn
// was stopped or failed: it is cancelled. A run of another client is left alone, and the server refuses ours.
func (a *answer) settle() (string, error) {
	cancelled := map[string]bool{}
	for end := time.Now().Add(settling); ; {
		runs, err := a.active(a.s)
		if err != nil {
			return "", err
		}
		ours := 0
		for _, r := range runs {
			switch {
			case isOurs(r.Metadata, a.request.Input.RunID):
				return r.ID, nil
			case !isOurs(r.Metadata, ""):
				continue
			case !cancelled[r.ID]:
				cancelled[r.ID] = true
				if err := a.cancel(a.s, r.ID); err != nil {
					a.request.Warn("", "an earlier run could not be cancelled")
				}
			}
			ours++
		}
		if ours == 0 || time.Now().After(end) {
			return "", nil
		}
		if err := a.s.Sleep(settlePause); err != nil {
			return "", err
		}
	}
}

var (
	errOtherQuestion = errors.New("the question that was answered is not open there any more")
	errNoIDs         = errors.New("several questions are open there, and the server gives them no ids to answer one by")
)

// resume is the plan that gives the answers to the questions they are for.
func (a *answer) resume(open []question) (plan, error) {
	byID := map[string]question{}
	for _, q := range open {
		byID[q.id] = q
	}
	values := map[string]json.RawMessage{}
	var only json.RawMessage
	withoutID := false
	for _, r := range a.request.Input.Resume {
		q, there := byID[r.InterruptID]
		switch {
		case r.Status == agui.ResumeCancelled:
			delete(byID, r.InterruptID)
		case !there:
			return plan{}, &client.Error{Fault: client.FaultInvalid, Err: errOtherQuestion}
		default:
			only = r.Payload
			if len(only) == 0 {
				only = json.RawMessage("null")
			}
			withoutID = withoutID || !isHash(q.theirs)
			values[q.theirs] = only
		}
	}
	switch {
	case only == nil:
		// Others that wait are somebody else's. Like all that waits they go with the thread's next run.
		return plan{off: true, clear: len(open) > 0 && len(byID) == 0}, nil
	case !withoutID:
		raw, err := json.Marshal(values)
		if err != nil {
			return plan{}, &client.Error{Fault: client.FaultInvalid, Err: err}
		}
		return plan{body: a.body(nil, raw)}, nil
	case len(open) > 1:
		return plan{}, &client.Error{Fault: client.FaultInvalid, Err: errNoIDs}
	default:
		return plan{body: a.body(nil, only)}, nil
	}
}

// isHash reports whether an id is of the form by which servers find the question that an answer is for.
func isHash(id string) bool {
	raw, err := hex.DecodeString(id)
	return err == nil && len(raw) == 16
}

// clear removes the thread's open tasks, so that it no longer waits for cancelled questions.
func (a *answer) clear() error {
	return a.s.Ask(a.call(http.MethodPost, map[string]any{"values": nil, "as_node": "__end__"}, "state"), nil)
}
