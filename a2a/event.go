package a2a

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/agui-gateway/gateway/internal/exact"
)

// The states of a task, as 0.3 writes them. Those of 1.0 are read as these.
const (
	stateSubmitted     = "submitted"
	stateWorking       = "working"
	stateInputRequired = "input-required"
	stateAuthRequired  = "auth-required"
	stateCompleted     = "completed"
	stateFailed        = "failed"
	stateRejected      = "rejected"
	stateCanceled      = "canceled"
	stateUnknown       = "unknown"
)

type taskState string

// UnmarshalJSON reads a state in the form of either version. Any other value is unknown.
func (s *taskState) UnmarshalJSON(data []byte) error {
	var text string
	_ = exact.Unmarshal(data, &text) // any other value is no state
	text = strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(text, "TASK_STATE_")), "_", "-")
	switch text {
	case stateSubmitted, stateWorking, stateInputRequired, stateAuthRequired, stateCompleted, stateFailed,
		stateRejected, stateCanceled:
		*s = taskState(text)
	default:
		*s = stateUnknown
	}
	return nil
}

// asks reports whether the task waits for somebody.
func (s taskState) asks() bool { return s == stateInputRequired || s == stateAuthRequired }

func (s taskState) works() bool { return s == "" || s == stateSubmitted || s == stateWorking }

type metadata map[string]json.RawMessage

type message struct {
	ID       string   `json:"messageId"`
	TaskID   string   `json:"taskId"`
	Role     string   `json:"role"`
	Parts    []part   `json:"parts"`
	Metadata metadata `json:"metadata"`
}

// isAgents reports whether the agent has written the message.
func (m *message) isAgents() bool {
	return strings.EqualFold(strings.TrimPrefix(m.Role, "ROLE_"), "agent")
}

type taskStatus struct {
	State     taskState `json:"state"`
	Message   *message  `json:"message"`
	Timestamp string    `json:"timestamp"`
}

// key tells a status from the next one of the same state.
func (s *taskStatus) key() string {
	if s.Message != nil && s.Message.ID != "" {
		return s.Message.ID
	}
	return s.Timestamp
}

type task struct {
	ID        string     `json:"id"`
	ContextID string     `json:"contextId"`
	Status    taskStatus `json:"status"`
	Artifacts []artifact `json:"artifacts"`
	History   []message  `json:"history"`
	Metadata  metadata   `json:"metadata"`
}

type artifact struct {
	ID          string   `json:"artifactId"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Parts       []part   `json:"parts"`
	Metadata    metadata `json:"metadata"`
}

type statusUpdate struct {
	TaskID   string     `json:"taskId"`
	Status   taskStatus `json:"status"`
	Metadata metadata   `json:"metadata"`
}

type artifactUpdate struct {
	TaskID    string   `json:"taskId"`
	Artifact  artifact `json:"artifact"`
	Append    bool     `json:"append"`
	LastChunk bool     `json:"lastChunk"`
	Metadata  metadata `json:"metadata"`
}

// An event is one of the things that a result may be.
type event struct {
	task     *task
	message  *message
	status   *statusUpdate
	artifact *artifactUpdate
}

// taskID names the task that the event is about, if there is one.
func (e *event) taskID() string {
	switch {
	case e.task != nil:
		return e.task.ID
	case e.status != nil:
		return e.status.TaskID
	case e.artifact != nil:
		return e.artifact.TaskID
	default:
		return ""
	}
}

var errEvent = errors.New("the result is neither a message nor a task nor an update of one")

// parseEvent reads a result, in the form of 1.0, where a member says what it is, of 0.3, where kind does, or as a bare
// task.
func parseEvent(data []byte) (event, error) {
	var body struct {
		Task           json.RawMessage `json:"task"`
		Message        json.RawMessage `json:"message"`
		StatusUpdate   json.RawMessage `json:"statusUpdate"`
		ArtifactUpdate json.RawMessage `json:"artifactUpdate"`
		Kind           string          `json:"kind"`
		ID             string          `json:"id"`
	}
	if exact.Unmarshal(data, &body) != nil {
		return event{}, errEvent
	}
	var e event
	var err error
	switch {
	case body.Kind == "task", body.Kind == "" && body.ID != "":
		err = decode(data, &e.task)
	case body.Kind == "message":
		err = decode(data, &e.message)
	case body.Kind == "status-update":
		err = decode(data, &e.status)
	case body.Kind == "artifact-update":
		err = decode(data, &e.artifact)
	case body.Task != nil:
		err = decode(body.Task, &e.task)
	case body.Message != nil:
		err = decode(body.Message, &e.message)
	case body.StatusUpdate != nil:
		err = decode(body.StatusUpdate, &e.status)
	case body.ArtifactUpdate != nil:
		err = decode(body.ArtifactUpdate, &e.artifact)
	default:
		err = errEvent
	}
	if err == nil && e.message == nil && e.taskID() == "" {
		err = errEvent
	}
	return e, err
}

// decode reads data, which must not be null, into what v points to.
func decode[T any](data []byte, v **T) error {
	if err := exact.Unmarshal(data, v); err != nil || *v == nil {
		return errEvent // the cause may quote the message
	}
	return nil
}
