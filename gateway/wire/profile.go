package wire

import (
	"bytes"
	"fmt"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/state"
)

// A Dialect is the form in which a reader gets questions.
type Dialect uint8

const (
	// Standard is AG-UI 1.0's: RUN_FINISHED with an interrupt outcome.
	Standard Dialect = iota
	// Legacy is the earlier form: one CUSTOM on_interrupt per question, then RUN_FINISHED without outcome.
	Legacy
)

// A StopForm is the form in which a reader gets the end of a stopped run.
type StopForm uint8

const (
	// StopOutcome is the cancelled outcome, or RUN_ERROR with code cancelled for readers before 1.0, which crash on
	// the outcome and would take a plain end for success.
	StopOutcome StopForm = iota
	// StopPlain is a RUN_FINISHED without outcome: CopilotKit's page swallows cancelled and shows an error otherwise.
	StopPlain
)

// The names of the CUSTOM events for content that a reader cannot be sent otherwise.
const (
	// CustomInterrupt is a question in the legacy dialect. Its value is a JSON string that contains an object.
	CustomInterrupt = "on_interrupt"
	// CustomFailed is an error that cannot be sent as RUN_ERROR. Its value is {code, message}.
	CustomFailed = "gateway.failed"
	// CustomRefused is a refused request on a stream that continues. Its value is {code, message}.
	CustomRefused = "gateway.refused"
)

// A Profile describes the events that one reader of a run understands. It is fixed when the reader is opened.
//
// The zero value suits a pre-1.0 reader that knows no subagents. A Profile has no state: it is comparable, safe for
// concurrent use, and readers with equal profiles can share projections.
type Profile struct {
	Era     agui.Era
	Dialect Dialect
	// Subagents is whether SUBAGENT_* events are sent; the attribution of other events stays in any case.
	Subagents bool
	Stop      StopForm
	// AskAgain is for clients that lock their page when a resumed run ends in RUN_ERROR: such an end asks the open
	// questions again instead, after a CUSTOM [CustomFailed]. Readers of the legacy dialect always get that when
	// questions are open. See [state.Ending].
	AskAgain bool
	// Surfaces is whether A2UI activities are sent. CopilotKit's A2UI middleware would show each surface twice.
	Surfaces bool
	// Trace is whether frames of [state.TypeTrace] are sent.
	Trace bool
	// RunID replaces the run's id for this reader; empty leaves it.
	RunID string
	// Binary is for clients before 0.0.47, which know one kind of media only.
	Binary bool
	// Chunks is for readers behind a proxy that may cut the stream in the middle of a message and keeps the part, as
	// CopilotKit's Node runtime does at a stop: texts are sent as TEXT_MESSAGE_CHUNK, which such a reader closes
	// itself. It also closes a chunked message at other events of the same lane, and the next chunk opens it again.
	Chunks bool
	// News is whether a MESSAGES_SNAPSHOT without new content for the reader is left out. Project does not do that.
	News bool
	// Links replaces inline files in messages by links; the zero value keeps the files.
	Links Links
}

// Project appends to sent the frames for a reader of w for the canonical frame f, with Data as written by
// [agui.Encode]: none, f itself with the stored bytes, or replacements. Only the last of several has f's id. The result
// reports content of f that cannot be sent to the reader..
//
// A projected stream passes the [agui.Verifier] if the canonical one does and closes all items before a RUN_ERROR that
// has a [state.Ending].
func (w Profile) Project(sent []state.Frame, f state.Frame) ([]state.Frame, Loss, error) {
	if w.same(f) {
		return append(sent, f), 0, nil
	}
	if isSubagent(f.Type) || f.Type == state.TypeTrace {
		return sent, 0, nil
	}
	e, err := agui.DecodeWritten(f.Data)
	if err != nil {
		return sent, 0, fmt.Errorf("wire: project %s: %w", f.Type, err)
	}
	events, loss := w.reshape(e, f.Ending)
	for _, e := range events {
		data, err := agui.Encode(e)
		if err != nil {
			return sent, 0, err
		}
		sent = append(sent, state.Frame{Type: agui.TypeOf(e), Data: data})
	}
	if len(events) > 0 {
		sent[len(sent)-1].ID = f.ID
	}
	return sent, loss, nil
}

// same reports whether a reader of w is sent f unchanged. It examines the bytes of a few types only, decodes nothing
// and allocates nothing; if it returns false, Project may still change nothing.
func (w Profile) same(f state.Frame) bool {
	switch f.Type {
	case agui.TypeRunStarted:
		return w.RunID == "" && (w.Era != agui.Era0 || !bytes.Contains(f.Data, []byte(`"input":`)))
	case agui.TypeRunFinished:
		return w.RunID == "" && w.Era != agui.Era0 && w.Dialect == Standard && w.Stop == StopOutcome
	case agui.TypeRunError:
		return !w.asksAgain(f.Ending)
	case agui.TypeSubagentStarted, agui.TypeSubagentFinished, agui.TypeSubagentError:
		return w.Subagents
	case state.TypeTrace:
		return w.Trace
	case agui.TypeTextMessageStart, agui.TypeTextMessageEnd:
		return !w.Chunks
	case agui.TypeTextMessageContent:
		return !w.Chunks && (w.Era != agui.Era0 || !bytes.Contains(f.Data, emptyDelta))
	case agui.TypeReasoningMessageContent:
		return w.Era != agui.Era0 || !bytes.Contains(f.Data, emptyDelta)
	case agui.TypeActivitySnapshot, agui.TypeActivityDelta:
		return w.Surfaces || !surfacePattern.in(f.Data)
	case agui.TypeMessagesSnapshot:
		return (w.Surfaces || !surfacePattern.in(f.Data)) && (w.Era != agui.Era0 || !partsPattern.in(f.Data)) &&
			(w.Links == Links{} || !inlinePattern.in(f.Data))
	case agui.TypeToolCallResult:
		return w.Era != agui.Era0 || !partsPattern.in(f.Data)
	default:
		return true
	}
}

// emptyDelta is part of encoded content events without content.
var emptyDelta = []byte(`"delta":""`)

func isSubagent(t agui.EventType) bool {
	return t == agui.TypeSubagentStarted || t == agui.TypeSubagentFinished || t == agui.TypeSubagentError
}

// asksAgain reports whether an error with this ending is sent as a question.
func (w Profile) asksAgain(end *state.Ending) bool {
	if end == nil || !end.Resumed {
		return false
	}
	return w.AskAgain || w.Dialect == Legacy && len(end.Open) > 0
}

// projectText returns a text event unchanged, or the equivalent chunk.
func (w Profile) projectText(e agui.Event, tags agui.Tagged, chunk agui.TextMessageChunk) []agui.Event {
	if !w.Chunks {
		return []agui.Event{e}
	}
	chunk.Tagged = tags
	return []agui.Event{&chunk}
}

// reshape returns the replacement of e, which it may modify. The cases are those of same.
func (w Profile) reshape(e agui.Event, end *state.Ending) ([]agui.Event, Loss) {
	switch e := e.(type) {
	case *agui.RunStarted:
		return w.projectStarted(e)
	case *agui.RunFinished:
		return w.projectFinished(e)
	case *agui.RunError:
		return w.projectFailed(e, end)
	case *agui.TextMessageStart:
		return w.projectText(e, e.Tagged, agui.TextMessageChunk{MessageID: e.MessageID, Role: e.Role, Name: e.Name}), 0
	case *agui.TextMessageContent:
		if e.Delta == "" && w.Era == agui.Era0 {
			return nil, 0 // without content; clients up to 0.0.45 crash on it
		}
		return w.projectText(e, e.Tagged, agui.TextMessageChunk{MessageID: e.MessageID, Delta: &e.Delta}), 0
	case *agui.TextMessageEnd:
		if w.Chunks && e.Metadata == nil {
			return nil, 0 // the reader closes it
		}
		return w.projectText(e, e.Tagged, agui.TextMessageChunk{MessageID: e.MessageID}), 0
	case *agui.ReasoningMessageContent:
		if e.Delta == "" {
			return nil, 0
		}
	case *agui.ToolCallResult:
		if agui.DowngradeResult(&e.Content) {
			return []agui.Event{e}, LostMedia
		}
	case *agui.ActivitySnapshot:
		if w.hides(e.ActivityType) {
			return nil, 0
		}
	case *agui.ActivityDelta:
		if w.hides(e.ActivityType) {
			return nil, 0
		}
	case *agui.MessagesSnapshot:
		return w.projectMessages(e)
	}
	return []agui.Event{e}, 0
}
