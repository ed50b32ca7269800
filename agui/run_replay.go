package agui

// Replay takes an event that the log of this run has already, as if the run had sent it: it is verified and folded
// into the view, and the sink does not get it. A run that goes on with another's log is given all of it, in order,
// before it writes anything of its own.
func (r *Run) Replay(e Event) error {
	return r.locked(func() error {
		if err := r.verify(e); err != nil {
			return err
		}
		if err := r.view.Apply(e); err != nil {
			return err
		}
		r.learn(e)
		switch e.(type) {
		case *RunFinished, *RunError:
			r.ended = true
		}
		return nil
	})
}
