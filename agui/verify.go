package agui

// A Verifier checks that events come in an order AG-UI 1.0 allows, with the very verdicts of the protocol's own client,
// @ag-ui/client 1.0.0, to which the tests in interop compare it. It checks order and ownership only; [Decode] checks
// that an event is well formed. Like the client it treats a chunk as the events that the chunk implies. It knows no
// empty tag, parent or chunk id: where the client tells an empty one from an absent one, here both are absent.
//
// The zero value is ready for the first event of a stream, which may hold several runs. A Verifier belongs to one
// stream and is not safe for concurrent use. Its memory grows with the ids of the current run.
type Verifier struct {
	open   Tracker
	chunks Expander
	failed *OrderError
}

// Next takes the next event of the stream. It returns nil, or an [*OrderError] if the event is out of order. After an
// error the stream is unusable, and every later call returns the same error. An [*Unknown] event is passed over, as the
// reference client drops it before it looks at the order.
func (v *Verifier) Next(e Event) error {
	if v.failed != nil {
		return v.failed
	}
	if _, ok := e.(*Unknown); ok {
		return nil
	}
	if err := v.next(e); err != nil {
		err.Type = TypeOf(e)
		v.failed = err
		return err
	}
	return nil
}

func (v *Verifier) next(e Event) *OrderError {
	if !v.chunks.Concerns(e) {
		return v.whole(e)
	}
	if err := v.open.admit(e); err != nil {
		return err // rather than the error of the ends that e implies
	}
	events, err := v.chunks.expand(e)
	if err != nil {
		return err
	}
	for _, e := range events {
		if err := v.whole(e); err != nil {
			return err
		}
	}
	return nil
}

func (v *Verifier) whole(e Event) *OrderError {
	if err := v.open.check(e); err != nil {
		return err
	}
	v.open.Note(e)
	return nil
}
