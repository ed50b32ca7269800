package faultsim

import "strings"

// permissions are what people have allowed, as the clients sent it.
type permissions struct {
	calls      map[string]bool            // numbers of refunds that were approved
	remembered map[string]bool            // user messages: a turn of theirs had an approval that is remembered
	parents    map[string]map[string]bool // number → the user messages before it
	answers    map[string]map[string]bool // number → the answers that were sent
}

func (p *permissions) init() {
	p.calls, p.remembered = map[string]bool{}, map[string]bool{}
	p.parents, p.answers = map[string]map[string]bool{}, map[string]map[string]bool{}
}

// note records an effect, and checks that a person allowed it and that it happens once.
func (w *world) note(e effect) {
	w.logf("effect %s %s under %s", e.value, e.number, e.key)
	w.mu.Lock()
	w.effects = append(w.effects, e)
	allowed := w.allows(e)
	twice, again := 0, 0
	for _, other := range w.effects {
		if other.key == e.key && other.visit == e.visit && e.visit > 0 {
			twice++
		}
		if other.key == e.key {
			again++
		}
	}
	broken, lost := w.broken, w.lost
	other := w.otherAnswer(e)
	client, _, _ := strings.Cut(e.number, "-")
	failed := w.failures[client] // a question is open again after its turn failed
	w.mu.Unlock()
	switch {
	case !allowed:
		w.problem("the effect %s %s happens without a person's approval", e.value, e.number)
	case twice > 1 && !lost: // a result that could not be recorded is not known
		w.problem("the effect %s %s happens %d times in one turn of one process", e.value, e.number, twice)
	case again > 1 && !broken:
		w.problem("the effect %s %s happens %d times under the key %s, without any fault", e.value, e.number, again, e.key)
	case other != "" && !lost && !failed:
		w.problem("the question of %s is answered by %s and by %s", e.number, other, e.value)
	}
}

// failed notes that a run of a client's thread failed.
func (w *world) failed(c *client) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failures[strings.TrimSuffix(c.name, "'")] = true
}

// allows reports whether a person allowed an effect. The lock is held.
func (w *world) allows(e effect) bool {
	switch e.value {
	case "pay":
		return true
	case "refund":
		if w.allowed.calls[e.number] {
			return true
		}
		for message := range w.allowed.parents[e.number] {
			if w.allowed.remembered[message] {
				return true
			}
		}
		return false
	}
	return w.allowed.answers[e.number][e.value]
}

// otherAnswer returns another answer that the question of an effect had before. The lock is held.
func (w *world) otherAnswer(e effect) string {
	if e.value == "pay" || e.value == "refund" {
		return ""
	}
	for _, other := range w.effects {
		if other.key == e.key && other.value != e.value && strings.HasSuffix(e.key, "/book/"+e.number) {
			return other.value
		}
	}
	return ""
}

// permit notes what a client is about to send.
func (w *world) permit(do func(p *permissions)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	do(&w.allowed)
}
