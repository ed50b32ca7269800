package state

import (
	"encoding/json"
	"iter"
	"slices"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/state/document"
)

// A Meaning is what a request turns out to be.
type Meaning string

// The meanings of a request. Start, Resume and Repeat run; the others do not.
const (
	Start   Meaning = "start"   // a new turn
	Resume  Meaning = "resume"  // the paused turn continues: with answers or with frontend results
	Repeat  Meaning = "repeat"  // a turn runs again: after a failure, or regenerated
	Join    Meaning = "join"    // become a reader of the live run
	Show    Meaning = "show"    // show the thread as it stands
	Refuse  Meaning = "refuse"  // nothing happens, with a code
	Busy    Meaning = "busy"    // the live run is in the way, or others who wait for it: nothing happens, with a code
	Queued  Meaning = "queued"  // the same, and the request has a place in the queue
	Preempt Meaning = "preempt" // the live run's caller hung up: end it, then ask again
	Full    Meaning = "full"    // it would run, and the caller has no room for a run; said by stores, not by admit
)

// Runs reports whether the meaning takes the thread's lease.
func (m Meaning) Runs() bool { return m == Start || m == Resume || m == Repeat }

// A Verdict is what a request means for a thread, and what it changes.
type Verdict struct {
	Meaning Meaning
	// Row is the row of the table in docs/requests.md that decided.
	Row  int
	Code errcode.Code // of a refusal
	// Details say which answers do not fit, if that is why.
	Details []Problem

	Append []agui.Message // messages that join the conversation
	// CutAfter is the message after which everything leaves the conversation; empty cuts nothing. CutAll cuts
	// everything: an edit of the very first message.
	CutAfter string
	CutAll   bool
	// Claims are answers to open tokens; Cancelled are the tokens a resume leaves out because they expired.
	Claims []Answer
	// CallAnswers are recorded results of frontend calls; NotAnswered are calls that will never have one.
	CallAnswers []CallAnswer
	NotAnswered []string
	// Forget drops the checkpoint, with the questions it asked.
	Forget bool
	// Restore is the boundary mark with the state that the turn starts from; empty keeps the state.
	Restore string
	// Failed is the run with the error for a repeated request.
	Failed *Run
	// Show are the request's new messages that a refusal shows and does not store.
	Show []agui.Message
	// Warnings list the omitted ids.
	Warnings []string
}

// Facts are the parts of a thread that are kept beside it and looked up as needed.
type Facts interface {
	// Known looks up a message the thread has or had.
	Known(id string) (Place, bool)
	// Token looks up the token of an interrupt the thread has or had.
	Token(id string) (Token, bool)
	// Messages yields the messages of the conversation in the order of their slots, the last one first.
	Messages() iter.Seq[StoredMessage]
	// State returns the state as it was at a revision, the present one or one that frames of the log name.
	State(rev int64) json.RawMessage
	// Past returns the way back to the states at the boundaries of runs: from the present one or, while a run is
	// live, from the one it started from.
	Past() document.History
	// Runs returns the runs before the newest, newest first.
	Runs() []Run
}

// admit says what request r means for thread t at now, the store's clock. It is the table of docs/requests.md
// read from the top: the first row that matches decides. It changes nothing; stores make it atomic.
func admit(t *Thread, f Facts, r *Request, now time.Time) Verdict {
	a := newAdmission(t, f, r, now)
	v := a.decide()
	if v.Meaning.Runs() && a.tooLarge(v) {
		return a.refuse(v.Row, errcode.TooLarge)
	}
	if len(a.dropped) > 0 && v.Meaning != Refuse {
		v.Warnings = append(v.Warnings, "messages left out: "+quoteIDs(a.dropped))
	}
	return v
}

func newAdmission(t *Thread, f Facts, r *Request, now time.Time) *admission {
	r, rewrites := rewritten(f, r)
	a := &admission{t: t, r: r, known: f.Known, tokens: f.Token, facts: f, now: now, rewrites: rewrites}
	a.newMessages, a.dropped = r.newMessages(t, f)
	a.calls = r.callAnswers(t, f)
	for _, id := range t.Open {
		token, _ := f.Token(id)
		switch {
		case token.Status != TokenOpen:
		case token.Expired(now):
			a.expired = append(a.expired, token)
		default:
			a.open = append(a.open, token)
		}
	}
	return a
}

// An admission is one reading of the table.
type admission struct {
	t      *Thread
	r      *Request
	known  func(string) (Place, bool)
	tokens func(string) (Token, bool)
	facts  Facts
	now    time.Time

	open, expired []Token        // tokens that wait
	newMessages   []agui.Message // what the caller may bring and the thread never had
	dropped       []string       // ids of what it may not
	calls         []CallAnswer   // first answers to open frontend calls
	problems      []Problem      // of answers that do not fit
	rewrites      *rewrite       // the message that the last of the new ones replaces, if it has been edited in place
}

func (a *admission) decide() Verdict {
	if !a.r.Since.IsZero() && !a.r.Since.Equal(a.t.CreatedAt) {
		return a.refuse(5, errcode.Cancelled) // the thread it has been waiting for is gone
	}
	v := a.read()
	if (v.Meaning == Start || v.Meaning == Repeat) && a.r.Wait != nil && a.t.behind(a.r.Wait.Ticket, a.now) {
		return a.busy() // whoever waits goes first
	}
	return v
}

// read is the table.
func (a *admission) read() Verdict {
	if len(a.r.Answers) > 0 {
		return a.answers() // rows 1 to 3
	}
	if a.t.Live != nil {
		return a.running() // rows 4 and 5
	}
	if a.repeatsLeft() {
		return a.refuse(13, errcode.BranchChanged)
	}
	if len(a.open) > 0 {
		return a.interrupted() // rows 6 and 7
	}
	if len(a.t.OpenCalls()) > 0 && len(a.expired) == 0 {
		return a.waiting() // rows 8 and 9
	}
	return a.idle() // rows 10 to 14
}

// running is rows 4 and 5: a live run is joined by who adds nothing to it.
func (a *admission) running() Verdict {
	if len(a.calls) == 0 && !slices.ContainsFunc(a.newMessages, a.adds) {
		return Verdict{Meaning: Join, Row: 4}
	}
	if a.t.Live.Tied && a.t.Live.HungUp {
		return Verdict{Meaning: Preempt, Row: 5}
	}
	return a.busy()
}

// busy is row 5: the request waits for its turn, if it may and there is room.
func (a *admission) busy() Verdict {
	if a.r.Wait == nil {
		return Verdict{Meaning: Busy, Row: 5, Code: errcode.RunInProgress}
	}
	if _, ok := Enqueue(a.t.Queue, a.r.Wait, a.now); !ok {
		return Verdict{Meaning: Busy, Row: 5, Code: errcode.QueueFull}
	}
	return Verdict{Meaning: Queued, Row: 5}
}

// interrupted is rows 6 and 7. Results of frontend calls that share the pause are recorded unless the request is
// refused (I6).
func (a *admission) interrupted() Verdict {
	if slices.ContainsFunc(a.newMessages, a.adds) {
		if text, ok := a.typed(); ok {
			return a.try(text)
		}
		return a.refuse(6, errcode.InterruptPending)
	}
	return Verdict{Meaning: Show, Row: 7, CallAnswers: a.calls}
}

// waiting is rows 8 and 9: frontend calls are open.
func (a *admission) waiting() Verdict {
	missing := a.missingCalls()
	if len(missing) == 0 {
		return Verdict{Meaning: Resume, Row: 8, CallAnswers: a.calls, Append: a.newMessages}
	}
	if slices.ContainsFunc(a.newMessages, a.adds) {
		return a.start(9)
	}
	return Verdict{Meaning: Show, Row: 8, CallAnswers: a.calls}
}

// missingCalls returns the frontend calls that neither the thread nor the request has an answer to.
func (a *admission) missingCalls() []string {
	var missing []string
	for _, c := range a.t.OpenCalls() {
		if !slices.ContainsFunc(a.calls, func(x CallAnswer) bool { return x.Call == c.ID }) {
			missing = append(missing, c.ID)
		}
	}
	return missing
}

// idle is rows 10 to 14, for threads that are idle or failed, or have only expired questions.
func (a *admission) idle() Verdict {
	newest := a.t.Run
	if newest != nil && newest.RunID == a.r.RunID && newest.Hash == a.r.Hash {
		if newest.Status != RunError {
			return Verdict{Meaning: Show, Row: 10}
		}
		if newest.Committed {
			return Verdict{Meaning: Show, Row: 10, Failed: newest}
		}
		if len(a.t.Calls) > 0 && len(a.t.Open) == 0 {
			return Verdict{Meaning: Resume, Row: 10} // all of its calls are answered
		}
		return a.again(Verdict{Meaning: Repeat, Row: 10})
	}
	if a.addsAtEnd() {
		return a.start(11)
	}
	last, place := a.last()
	if a.t.Failed && last != "" && last == a.t.LastUser {
		return a.again(Verdict{Meaning: Repeat, Row: 12})
	}
	if a.unanswered(last, place) {
		return a.again(Verdict{Meaning: Repeat, Row: 12, Restore: startMark(place.Run)})
	}
	if a.regenerates(last, place) {
		return a.again(Verdict{Meaning: Repeat, Row: 13, CutAfter: last, Restore: startMark(place.Run)})
	}
	return Verdict{Meaning: Show, Row: 14, CallAnswers: a.calls}
}

// start is a turn for new messages. An edit takes the place of what follows the last message that it names, which is
// everything if it names none, and starts from the state that the first turn it cuts began with.
func (a *admission) start(row int) Verdict {
	v := Verdict{Meaning: Start, Row: row, Append: a.newMessages}
	if w := a.rewrites; w != nil {
		v.CutAfter, v.CutAll, v.Restore = w.after, w.after == "", startMark(w.run)
		return a.again(v)
	}
	if !a.r.Edit && a.continuesLeft() {
		return a.refuse(row, errcode.BranchChanged)
	}
	if a.r.Edit || a.r.ListEdits {
		named := a.named()
		if named.next != nil && (a.r.Edit || named.edits()) {
			v.CutAfter, v.CutAll = named.last, named.last == ""
			place, _ := a.known(named.next.ID)
			v.Restore = startMark(place.Run)
		}
	}
	return a.again(v)
}

// unanswered reports whether the conversation ends with the request's last message, which asks for a turn, and that
// turn did not succeed: it was stopped before its first word, asked a question that expired, or the thread is a fork
// that ends here. A turn that succeeded without a word runs again only if the request regenerates.
func (a *admission) unanswered(last string, place Place) bool {
	if last == "" || last != a.t.LastMessage || place.Left || !asks(place.Role) {
		return false
	}
	newest := a.t.Run
	return newest == nil || newest.Status != RunSuccess || a.r.Regenerate || a.r.ListRegenerates
}

// regenerates reports whether the request asks for the turn of its last message once more, instead of what follows
// that message.
func (a *admission) regenerates(last string, place Place) bool {
	byList := a.r.ListRegenerates && place.Role == agui.RoleUser
	if !byList && !a.r.Regenerate || place.Left || !asks(place.Role) {
		return false
	}
	named := a.named()
	return named.next != nil && named.last == last && (a.r.Regenerate || named.beginning)
}

// again finishes a verdict that starts a turn anew: a checkpoint left behind is dropped, and the calls
// that hang on it get a result, so that none is left without one (I6).
func (a *admission) again(v Verdict) Verdict {
	v.Forget = a.t.Checkpoint != nil || len(a.t.Open) > 0 || len(a.t.Calls) > 0
	v.CallAnswers = a.calls
	v.NotAnswered = a.missingCalls()
	for _, token := range a.expired {
		if id := token.Interrupt.ToolCallID; id != "" && !slices.Contains(v.NotAnswered, id) {
			v.NotAnswered = append(v.NotAnswered, id)
		}
	}
	return v
}

// last returns the last message of the request and where the thread has it.
func (a *admission) last() (string, Place) {
	if len(a.r.Messages) == 0 {
		return "", Place{}
	}
	id := a.r.Messages[len(a.r.Messages)-1].ID
	place, _ := a.known(id)
	return id, place
}

// addsAtEnd reports whether the request ends with something new that asks for a turn.
func (a *admission) addsAtEnd() bool {
	for _, m := range slices.Backward(a.r.Messages) {
		if _, ok := a.known(m.ID); ok {
			return false
		}
		if a.adds(m) {
			return true
		}
	}
	return false
}

// adds reports whether a new message of this kind asks for a turn.
func (a *admission) adds(m agui.Message) bool { return asks(m.Role) || a.r.acts(m) }

func asks(role agui.Role) bool {
	return role == agui.RoleUser || role == agui.RoleSystem || role == agui.RoleDeveloper
}

// refuse returns a refusal. It shows the caller the messages that a resume will bring again.
func (a *admission) refuse(row int, code errcode.Code) Verdict {
	v := Verdict{Meaning: Refuse, Row: row, Code: code, Details: a.problems}
	for _, m := range a.newMessages {
		if a.adds(m) {
			v.Show = append(v.Show, m)
		}
	}
	return v
}

// tooLarge reports whether the conversation has no room for what v brings. What takes messages away makes room, but for
// their ids, which stay known; other requests are never too large: existing questions must stay answerable.
func (a *admission) tooLarge(v Verdict) bool {
	most := a.r.MaxThread
	switch {
	case most <= 0:
		return false
	case v.CutAfter != "" || v.CutAll:
		return a.t.Left > most
	case len(v.Append)+len(v.CallAnswers) == 0:
		return false
	}
	size := a.t.Size + a.t.Left
	for _, m := range v.Append {
		size += a.r.sizeOf(m)
	}
	for _, c := range v.CallAnswers {
		size += a.r.sizeOf(c.Message)
	}
	return size > most
}
