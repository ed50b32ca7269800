package gateway

import (
	"strconv"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/telemetry"
)

// asked tells of the questions that the run ends with. They have no end here: people answer later, or never.
func (l *traceLog) asked(questions []agui.Interrupt) {
	now := l.a.clock.Now().UnixMilli()
	for _, q := range questions {
		l.question(q, now, 0, "")
	}
}

// answered tells of the questions that the run began with the answers to, from when they were asked to when the answers came.
func (l *traceLog) answered() {
	i := &l.a.intent
	for _, q := range i.Questions {
		end := i.StartedAt.UnixMilli()
		start, code := end, errcode.Code("")
		for _, c := range i.Claims {
			if c.ID != q.ID {
				continue
			}
			if !c.AskedAt.IsZero() { // a question of an earlier version does not know
				start = min(c.AskedAt.UnixMilli(), end)
			}
			if c.Status == agui.ResumeCancelled {
				code = errcode.Cancelled
			}
		}
		l.question(q, start, end, code)
	}
}

// question writes a step that is a question. It is named after who asks, as far as the log knows them.
func (l *traceLog) question(q agui.Interrupt, start, end int64, code errcode.Code) {
	l.questions++
	r := telemetry.Record{
		ID: strconv.Itoa(l.a.intent.Attempts) + ".q" + strconv.Itoa(l.questions), Parent: l.root, Kind: telemetry.KindQuestion,
		Name: l.names[q.SubagentRunID], Start: start, End: end, Code: code,
		SubagentRunID: q.SubagentRunID, ToolCallID: q.ToolCallID, InterruptID: q.ID,
	}
	if r.Name == "" {
		r.Name = l.a.lease.Key.Agent
	}
	l.write(traceStep{Record: r})
}
