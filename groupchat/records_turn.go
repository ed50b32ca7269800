package groupchat

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/state"
)

// The methods of [Turn] that read and change its record, under the lock of [records].

func (t *Turn) memo(key string) (json.RawMessage, bool) {
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	raw, ok := t.keys.Memo[key]
	return raw, ok
}

func (t *Turn) remember(key string, raw json.RawMessage) {
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	t.keys.Memo = with(t.keys.Memo, key, raw)
}

func (t *Turn) forget(keys ...string) {
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	for _, key := range keys {
		delete(t.keys.Memo, key)
	}
}

// Recall returns what the turn remembers under key, and whether it remembers anything.
func (t *Turn) Recall(key string) (json.RawMessage, bool) {
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	return t.keys.recall(key)
}

// markActed notes that the turn has made progress, even if it has said and changed nothing.
func (t *Turn) markActed() {
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	t.record.Acted = true
}

func (t *Turn) tries() int {
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	return t.record.Tries
}

// notePause notes that the agent received err, and has to return it if it is a pause.
func (t *Turn) notePause(err error) error {
	if p := ask.PauseOf(err); p != nil {
		t.x.mu.Lock()
		defer t.x.mu.Unlock()
		t.keys.pauses = append(t.keys.pauses, p)
	}
	return err
}

// checkReturned returns the result of a turn that ended with err: a failure if it dropped one of its pauses.
func (t *Turn) checkReturned(err error) error {
	given := ask.PauseOf(err)
	if t.keys.owner != t || err != nil && given == nil {
		return err
	}
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	for _, p := range t.keys.pauses {
		if !given.Includes(p) {
			return fail(errcode.AgentFailed, "%s: %w", t.Path(), errNotReturned)
		}
	}
	return err
}

// claimKey notes the meaning of the key of a question, a message, a call or an agent. It fails if the key had another
// meaning since the turn was entered, because an answer to one would be taken for the other's.
func (t *Turn) claimKey(kind, key, what string) error {
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	at := kind + "/" + key
	if had, ok := t.keys.meant[at]; ok && had != what {
		return fail(errcode.AgentFailed, "%s: two different things have the key %q: %s", t.Path(), key, kind)
	}
	t.keys.meant = with(t.keys.meant, at, what)
	return nil
}

func (t *Turn) changeKey(kind, key, what string) {
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	t.keys.meant[kind+"/"+key] = what
}

// nextText returns the key of the next message of a text, by its hash.
func (t *Turn) nextText(hash string) string {
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	t.keys.texts = with(t.keys.texts, hash, t.keys.texts[hash]+1)
	return "text/" + hash + "/" + strconv.Itoa(t.keys.texts[hash])
}

// answer returns the answer under key, from an earlier run or from this resume.
func (t *Turn) answer(key string) (state.Answer, bool) {
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	a, ok := t.keys.Answers[key]
	return a, ok
}

// keepAnswer records the answer to a question of a hash.
func (t *Turn) keepAnswer(key, hash string, a state.Answer) {
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	t.keys.Answers = with(t.keys.Answers, key, a)
	t.keys.Asked = with(t.keys.Asked, key, hash)
	t.record.Acted = true
}

// askedHash returns the hash of the question that was asked under key; empty if none was.
func (t *Turn) askedHash(key string) string {
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	return t.keys.Asked[key]
}

// wasAsked reports whether a question has the key.
func (t *Turn) wasAsked(key string) bool {
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	return t.keys.Asks[key] != ""
}

// openQuestion returns the interrupt id of the question under key, a new one if it was not asked yet. A hash that is
// not empty is recorded as the question's.
func (t *Turn) openQuestion(key, hash string) string {
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	id, ok := t.keys.Asks[key]
	if !ok {
		id = t.newAskLocked(key)
	}
	if hash != "" {
		t.keys.Asked = with(t.keys.Asked, key, hash)
	}
	t.record.Acted = true
	return id
}

// newAsk returns a new interrupt id for the question under key.
func (t *Turn) newAsk(key string) string {
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	return t.newAskLocked(key)
}

func (t *Turn) newAskLocked(key string) string {
	id := "int_" + t.x.NewID()
	t.keys.Asks = with(t.keys.Asks, key, id)
	return id
}

// frontendCall returns the call of the client's tool under key, and whether it was made.
func (t *Turn) frontendCall(key string) (frontendCall, bool) {
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	c, ok := t.keys.Calls[key]
	return c, ok
}

// keepCall records an open call of the client's tool.
func (t *Turn) keepCall(key, id string) {
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	t.keys.Calls = with(t.keys.Calls, key, frontendCall{ID: id})
	t.record.Acted = true
}

func (t *Turn) toolKeys(call string) *keySpace {
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	space := t.keys.Tools[call]
	if space == nil {
		space = &keySpace{}
		t.keys.Tools = with(t.keys.Tools, call, space)
	}
	return space
}

// announce gives the turn the id that its invocation has for clients, and returns it: the same again when it was
// paused, a new one when it is repeated.
func (t *Turn) announce() string {
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	if t.record.SubagentRunID == "" {
		t.record.SubagentRunID = "sub_" + t.x.NewID()
	}
	return t.record.SubagentRunID
}

// markBegun notes that the speaker works in the turn.
func (t *Turn) markBegun() {
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	t.record.Begun = true
}

// addInvocation makes the messages of an invocation part of the turn.
func (t *Turn) addInvocation(id string) {
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	if !slices.Contains(t.record.Past, id) {
		t.record.Past = append(t.record.Past, id)
	}
}

// invocations returns the invocations of the turn and of all turns in it, and whether the turn itself has none because
// it is the root's.
func (t *Turn) invocations() (set map[string]bool, root bool) {
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	set = map[string]bool{}
	t.record.invocations(set)
	return set, t.record.SubagentRunID == "" && !t.record.Done
}

// innerInvocations returns the invocation of the turn, and those of the turns in it.
func (t *Turn) innerInvocations() (own string, inner map[string]bool) {
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	inner = map[string]bool{}
	t.keys.invocations(inner)
	return t.record.SubagentRunID, inner
}

// countFailure counts a failed try of record. The next one is another invocation.
func (r *records) countFailure(f *turnRecord) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f.endInvocation()
	f.Tries++
}

// inheritLocked adds to t's record what matters of a turn that has ended within t.
func (t *Turn) inheritLocked(ended *turnRecord) {
	t.record.Acted = t.record.Acted || ended.Acted
	if t.owned {
		ended.endInvocation()
		t.record.Past = append(t.record.Past, ended.Past...)
	}
}

// decline notes that a person rejected the result of the turn: the chat that it is part of ends.
func (t *Turn) decline() {
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	t.record.Declined = true
	if chat := t.speakerTurn().chat; chat != nil {
		chat.record.Denied = true
	}
}

func (t *Turn) sub() *subRecord {
	after := t.lastMessage()
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	if t.keys.Sub == nil {
		t.keys.Sub = &subRecord{After: after}
	}
	return t.keys.Sub
}

// beginSub notes that the inputs of a turn under [Sub] are there.
func (t *Turn) beginSub(record *subRecord) {
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	record.Begun = true
}

// countWork adds n to a count of goroutines or turns at work.
func (t *Turn) countWork(count *int, n int) {
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	*count += n
}

// othersAtWork reports whether other turns or goroutines are at work besides the turns from the root down to t.
func (t *Turn) othersAtWork() bool {
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	within := 0 // how many children of at are on the way down to t
	for at := t; at != nil; at = at.up {
		if at.inside > within || at.running > 1 {
			return true
		}
		within = 0
		if at.chat == nil && at.participant != nil {
			within = 1
		}
	}
	return false
}

// openChildren finds the records of invoked turns, or opens them: they are counted here, and here only. After is the
// last message there is.
func (t *Turn) openChildren(list []Invocation, after string) ([]*turnRecord, error) {
	x := t.x
	x.mu.Lock()
	defer x.mu.Unlock()
	if t.inside == 0 {
		t.since = after
	}
	children := make([]*turnRecord, len(list))
	for i := range list {
		v := &list[i]
		key := v.key()
		if t.invoked[key] {
			return nil, fail(errcode.AgentFailed, "%s: %q is invoked twice", t.Path(), key)
		}
		if err := v.check(); err != nil {
			return nil, fail(errcode.AgentFailed, "%s: %w", t.Path(), err)
		}
		t.invoked = with(t.invoked, key, true)
		children[i] = t.keys.Children[key]
		if children[i] != nil {
			if err := v.participant().fits(children[i]); err != nil {
				return nil, x.fatalLocked(err)
			}
			continue
		}
		if err := x.countTurnLocked(x.MaxTurns); err != nil {
			return nil, err
		}
		children[i] = &turnRecord{ID: t.ID() + "/" + key, Speaker: v.Name, Instruction: v.Instruction,
			Form: v.participant().form(), After: t.since}
		t.keys.Children = with(t.keys.Children, key, children[i])
	}
	for _, f := range children {
		if !f.Done {
			t.inside++
		}
	}
	return children, nil
}

// closeChild notes that an invoked turn has stopped. The record of one that has ended keeps only the data needed later.
func (t *Turn) closeChild(record *turnRecord, skipped bool, err error) {
	t.x.mu.Lock()
	defer t.x.mu.Unlock()
	t.inside--
	if err != nil {
		return
	}
	ended := map[string]bool{}
	record.invocations(ended)
	*record = turnRecord{
		ID: record.ID, Speaker: record.Speaker, After: record.After, Acted: record.Acted,
		Past: slices.Sorted(maps.Keys(ended)),
		Done: true, Skipped: skipped, Declined: record.declined(),
		Branch: record.Branch,
	}
	t.inheritLocked(record)
}
