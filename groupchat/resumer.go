package groupchat

import "encoding/json"

// A Resumer is an [Agent] of a kind of its own. It remembers in a turn what it did there ([Turn.Remember]), and can tell whether
// it goes on where a turn waits that another definition of it began: teams change between a question and its answer.
type Resumer interface {
	Agent
	// Kind names the kind, such as "script". A turn that waits is not gone on with by an agent of another kind.
	Kind() string
	// CanResume returns why the agent cannot go on with a turn in which recall finds what was remembered, or nil. It is asked
	// before anything of the run is sent, where the agent is known to take part, and by [Turn.Exclusive].
	CanResume(recall func(key string) (json.RawMessage, bool)) error
}

// Exclusive runs the turn of a, which remembers what it does under keys that all agents of its kind use: no other of them may
// take the same turn, and a itself only if it has failed. Those that are to work in one turn are for [Turn.Invoke]. If a cannot
// go on with what the turn remembers, the run ends with that error, whatever policy there is.
func (t *Turn) Exclusive(a Resumer, run func() error) error {
	return t.exclusive(a.Kind(), a, func() error {
		if err := a.CanResume(t.Recall); err != nil {
			return t.x.fatal(err)
		}
		return run()
	})
}

// Recall returns what the turn remembers under key, and whether it remembers anything.
func (t *Turn) Recall(key string) (json.RawMessage, bool) { return t.memo(key) }

// Remember keeps value, which is JSON, under key for as long as the turn lasts, pauses included. After a takeover it is what it
// was at the last commit: what must not happen twice belongs into [Once]. Keys that begin with "say/", "once/", "llm/" and
// "fan/" are this package's own.
func (t *Turn) Remember(key string, value json.RawMessage) { t.remember(key, value) }
