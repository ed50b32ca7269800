package state

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/agui"
)

// ask is a request with these messages.
func ask(specs string, with ...func(*Request)) *Request {
	r := &Request{RunID: "run", Hash: "hash", Era: agui.Era1, Messages: messages(specs), NewID: func() string { return "new" }}
	for _, set := range with {
		set(r)
	}
	return r
}

// answer adds answers: "q1=payload" resolved, "q1!" cancelled, "=payload" bare.
func answer(specs ...string) func(*Request) {
	return func(r *Request) {
		for _, spec := range specs {
			if id, ok := strings.CutSuffix(spec, "!"); ok {
				r.Answers = append(r.Answers, Answer{ID: id, Status: agui.ResumeCancelled})
				continue
			}
			id, payload, _ := strings.Cut(spec, "=")
			r.Answers = append(r.Answers, Answer{ID: id, Status: agui.ResumeResolved, Payload: Canonical(json.RawMessage(payload))})
		}
	}
}

func old(r *Request)        { r.Era = agui.Era0 }
func editing(r *Request)    { r.Edit = true }
func regenerate(r *Request) { r.Regenerate = true }

func typing(r *Request)          { r.TypedAnswers = true }
func listEdits(r *Request)       { r.ListEdits = true }
func listRegenerates(r *Request) { r.ListRegenerates = true }

// waiting lets the request wait, with two others.
func waiting(ticket string) func(*Request) {
	return func(r *Request) { r.Wait = &Wait{Ticket: ticket, TTL: time.Second, Limit: 3} }
}

// since says that the request has been waiting for the thread that was made then.
func since(at time.Time) func(*Request) { return func(r *Request) { r.Since = at } }

// retry makes the request the one that run i was started with.
func retry(i int) func(*Request) {
	return func(r *Request) { r.RunID, r.Hash = fmt.Sprintf("run%d", i), fmt.Sprintf("hash%d", i) }
}

// brief is a verdict in one line.
func brief(v Verdict) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %d", v.Meaning, v.Row)
	say := func(name string, ids ...string) {
		if len(ids) > 0 {
			fmt.Fprintf(&b, " %s=%s", name, strings.Join(ids, ","))
		}
	}
	if v.Code != "" {
		say("code", string(v.Code))
	}
	say("append", idsOf(v.Append)...)
	if v.CutAfter != "" {
		say("cut", v.CutAfter)
	}
	if v.CutAll {
		say("cut", "all")
	}
	for _, c := range v.Claims {
		text := c.ID + ":" + string(c.Payload)
		if c.Status == agui.ResumeCancelled {
			text = c.ID + ":cancelled"
		}
		if c.TimedOut {
			text += ":timedout"
		}
		say("claim", text)
	}
	for _, c := range v.CallAnswers {
		say("call", c.Message.ID+">"+c.Call)
	}
	say("unanswered", v.NotAnswered...)
	if v.Forget {
		b.WriteString(" forget")
	}
	if v.Restore != "" {
		say("restore", v.Restore)
	}
	if v.Failed != nil {
		say("failed", string(v.Failed.Code))
	}
	say("show", idsOf(v.Show)...)
	if len(v.Warnings) > 0 {
		fmt.Fprintf(&b, " warnings=%d", len(v.Warnings))
	}
	return b.String()
}

func idsOf(list []agui.Message) []string {
	var ids []string
	for _, m := range list {
		ids = append(ids, m.ID)
	}
	return ids
}
