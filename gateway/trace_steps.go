package gateway

import (
	"encoding/json"
	"slices"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/telemetry"
)

// open reports whether the step can end with the run. People answer a question later, or never.
func (s *traceStep) open() bool { return s.End == 0 && s.Kind != telemetry.KindQuestion }

// A traceView collects the spans of a log, each in its last version, in the order in which they began.
type traceView struct {
	steps []traceStep
	at    map[string]int // where a step is, by its id
}

func newTraceView() traceView { return traceView{at: map[string]int{}} }

// add reads the step of a frame. It reports false if the frame has none.
func (v *traceView) add(f state.Frame) bool {
	if f.Type != state.TypeTrace {
		return false
	}
	var e struct{ Value traceStep }
	if err := json.Unmarshal(f.Data, &e); err != nil || e.Value.ID == "" {
		return false
	}
	v.put(e.Value)
	return true
}

func (v *traceView) put(s traceStep) {
	if at, known := v.at[s.ID]; known {
		v.steps[at] = s
		return
	}
	v.at[s.ID] = len(v.steps)
	v.steps = append(v.steps, s)
}

// find returns the step of an id; nil if there is none.
func (v *traceView) find(id string) *traceStep {
	if at, known := v.at[id]; known {
		return &v.steps[at]
	}
	return nil
}

// close ends the spans that an ended run has left open: its end was written without reading the log.
func (v *traceView) close(at int64) {
	for i := range v.steps {
		if s := &v.steps[i]; s.open() {
			s.End, s.Code = max(at, s.Start), errcode.RunLost
		}
	}
}

// dropped reports whether the run had steps that the log does not have.
func (v *traceView) dropped() bool {
	return slices.ContainsFunc(v.steps, func(s traceStep) bool { return s.Dropped > 0 })
}

func (v *traceView) cost() *float64 {
	var total *float64
	for _, s := range v.steps {
		if s.Cost != nil && s.Kind == telemetry.KindModel {
			sum := *s.Cost
			if total != nil {
				sum += *total
			}
			total = &sum
		}
	}
	return total
}

func (v *traceView) usage() []agui.TokenUsage {
	var total []agui.TokenUsage
	for _, s := range v.steps {
		if s.Usage != nil && s.Kind == telemetry.KindModel {
			total = state.AddUsage(total, []agui.TokenUsage{*s.Usage})
		}
	}
	return total
}

// stepsSoFar returns the spans in the first frames of a run, for a reader that joins after them.
func stepsSoFar(frames []state.Frame) []readerEvent {
	v := newTraceView()
	for _, f := range frames {
		v.add(f)
	}
	events := make([]readerEvent, 0, len(v.steps))
	for _, s := range v.steps {
		if value, err := agui.Marshal(s); err == nil {
			events = append(events, readerEvent{event: &agui.Custom{Name: customTrace, Value: value}})
		}
	}
	return events
}
