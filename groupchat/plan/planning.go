package plan

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/ask"
	"github.com/agui-gateway/gateway/internal/clip"
	"github.com/agui-gateway/gateway/internal/exact"
)

// plan makes the plan, in the manager's own turn, until the person approves of it. Everything in it is recorded, so
// that the repeated turn comes to the same point.
func (m *manager) plan(ctx context.Context, t *groupchat.Turn) error {
	v := t.View()
	comments := ""
	old := m.Ledger
	if old.Task == "" {
		if message, ok := v.LastUser(); ok {
			old.Task = message.Content.Text()
		}
		old.Facts = m.earlier(v).Facts
	}
	for n := 1; ; n++ {
		made, err := m.draft(t, v, old, comments, n)
		if err != nil {
			return err
		}
		m.Ledger.Task, m.Ledger.Facts, m.Ledger.Plan, m.Ledger.Progress, m.Ledger.Status = old.Task, made.Facts,
			made.Plan, nil, Planning
		m.Ledger.clip()
		if err := m.showDraft(ctx, t, n); err != nil {
			return err
		}
		if m.o.Show {
			if err := groupchat.SayOnce(t, "plan-"+strconv.Itoa(n), numbered(m.Ledger.Plan)); err != nil {
				return err
			}
		}
		if m.o.Review == nil {
			break
		}
		verdict, err := m.review(t, n)
		switch {
		case err != nil:
			return err
		case verdict.denied:
			m.Ledger.Status = Denied
			if err := groupchat.SayOnce(t, "denied", deniedText); err != nil {
				return err
			}
			return m.show(ctx, t)
		case verdict.plan != nil:
			m.Ledger.Plan = verdict.plan
		}
		if verdict.comments == "" {
			break
		}
		old, comments = m.Ledger, verdict.comments
	}
	m.Plans++
	m.Ledger.Status = Working
	return m.show(ctx, t)
}

// showDraft shows the nth plan, once: a turn that is entered again must not take people back to it.
func (m *manager) showDraft(ctx context.Context, t *groupchat.Turn, n int) error {
	key := "plan/shown-" + strconv.Itoa(n)
	if _, shown := t.Recall(key); shown {
		return nil
	}
	if err := m.show(ctx, t); err != nil {
		return err
	}
	t.Remember(key, json.RawMessage("true"))
	return nil
}

// deniedText is the message after a denied plan.
const deniedText = "All right, we will leave it at that. Tell us what you would like instead."

// A drafted plan is what the model answers when it plans.
type drafted struct {
	Facts Facts    `json:"facts"`
	Plan  []string `json:"plan"`
}

// draft asks the model for facts and a plan; old is what there was before.
func (m *manager) draft(t *groupchat.Turn, v groupchat.View, old Ledger, comments string, n int) (drafted, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "The task:\n%s\n\nThe team:\n%s", clip.Bytes(old.Task, maxTask), roll(v))
	if facts := old.Facts.text(); facts != "" {
		fmt.Fprintf(&b, "\nWhat was known before; correct it and add what the conversation tells since:\n%s", facts)
	}
	if len(old.Plan) > 0 {
		fmt.Fprintf(&b, "\nThe plan before:\n%s\n", numbered(old.Plan))
	}
	if p := old.Progress; p != nil {
		fmt.Fprintf(&b,
			"\nThat plan has stalled: %s\nSay in the facts what went wrong, and plan another way that avoids it.\n",
			p.Reason)
	}
	if comments != "" {
		fmt.Fprintf(&b, "\nThe person who reads the plans says to it:\n%s\nRevise the plan as they say.\n", comments)
	}
	b.WriteString(draftTask)
	var made drafted
	ask := asking{m: m, name: "draft", schema: draftSchema,
		question: "Write down the facts and the plan. Answer with the JSON object."}
	err := ask.until(b.String(), v, func(key string, c groupchat.ModelCall) (reply, error) {
		got, err := t.AskModel(fmt.Sprintf("draft-%d/%s", n, key), c)
		return reply{got.Text, got.Words()}, err
	}, func(raw json.RawMessage) string {
		made = drafted{}
		if exact.Unmarshal(raw, &made) != nil {
			return "a member has the wrong type"
		}
		l := Ledger{Facts: made.Facts, Plan: made.Plan}
		if l.clip(); len(l.Plan) == 0 {
			return "the plan has no steps"
		}
		return ""
	})
	return made, err
}

type verdict struct {
	denied   bool
	plan     []string // theirs, if they have changed it
	comments string
}

func (m *manager) review(t *groupchat.Turn, n int) (verdict, error) {
	shown := numbered(m.Ledger.Plan)
	answer, err := t.Ask(groupchat.Question{
		Key: "plan-" + strconv.Itoa(n), Reason: "confirmation", TTL: m.o.Review.TTL,
		Schema: ask.VerdictSchema(map[string]any{
			"plan": map[string]any{"type": "string", "title": "The plan, one step a line", "default": shown},
		}),
		Message: cmp.Or(m.o.Review.Message, "Shall we go about it like this?") + "\n\n" + shown,
		Check: func(a ask.Answer) error {
			_, err := readVerdict(a, shown)
			return err
		},
		Again: "Please approve of the plan, change it, or say what to change.",
	})
	if err != nil {
		return verdict{}, err
	}
	return readVerdict(answer, shown)
}

// readVerdict reads the answer of a person who was shown a plan. A plan of another text is approved unless the answer
// says otherwise.
func readVerdict(a ask.Answer, shown string) (v verdict, err error) {
	form := map[string]json.RawMessage{}
	var text string
	if exact.Unmarshal(a.Payload, &form) == nil && form["plan"] != nil {
		if err := exact.Unmarshal(form["plan"], &text); err != nil {
			return v, err
		}
	}
	if text = strings.TrimSpace(text); text != "" && text != shown {
		if v.plan, err = steps(text); err != nil {
			return v, err
		}
		if form["approved"] == nil {
			form["approved"] = json.RawMessage("true")
		}
		if a.Payload, err = json.Marshal(form); err != nil {
			return v, err
		}
	}
	given, err := ask.ReadVerdict(a, "plan")
	v.comments = strings.TrimSpace(clip.Bytes(given.Changes(), maxTask))
	v.denied = !given.Approved && v.comments == ""
	return v, err
}
