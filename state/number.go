package state

// numbered numbers the runs of a thread, newest first, that have no number: earlier versions gave them none, and drop those of runs that
// they write. The numbers of runs that follow each other differ by one, so that one which is known tells all; if none is, the oldest run
// that is remembered is the first.
func numbered(runs []Run) []Run {
	newest := len(runs)
	for i, r := range runs {
		if r.Number > 0 {
			newest = r.Number + i
			break
		}
	}
	for i := range runs {
		runs[i].Number = newest - i
	}
	return runs
}

// newest returns the newest run of t with its number; nil if nothing ever ran.
func (t *Thread) newest(f Facts) *Run {
	if t.Run == nil || t.Run.Number > 0 {
		return t.Run
	}
	return &numbered(append([]Run{*t.Run}, f.Runs()...))[0]
}
