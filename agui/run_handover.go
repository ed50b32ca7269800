package agui

// Handover ends the run for everybody who writes it now, and returns a run that goes on in its place: the same
// stream, under another writer. What the old writers send from now on is refused with [ErrRunEnded], and what they
// look at is empty. It is how a run comes to its end while an agent that does not listen is still at work.
func (r *Run) Handover() *Run {
	r.mu.Lock()
	defer r.mu.Unlock()
	heir := &Run{o: r.o, verifier: r.verifier, view: r.view, lanes: r.lanes, err: r.err, ended: r.ended}
	heir.view.learn = heir.verifier.recall
	r.verifier, r.view, r.lanes, r.ended = Verifier{}, NewView(nil, nil), expander{}, true
	return heir
}
