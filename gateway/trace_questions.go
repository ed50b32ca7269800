package gateway

import (
	"strconv"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/telemetry"
)

// writeAnswered writes the questions that the run answers, from when they were asked to when the answers came.
func (l *traceLog) writeAnswered() {
	i := &l.a.intent
	for _, q := range i.Questions {
		end := i.StartedAt.UnixMilli()
		start, code := end, errcode.Code("")
		for _, c := range i.Claims {
			if c.ID != q.ID {
				continue
			}
			if !c.AskedAt.IsZero() { // questions of earlier versions have no time
				start = min(c.AskedAt.UnixMilli(), end)
			}
			if c.Status == agui.ResumeCancelled {
				code = errcode.Cancelled
			}
		}
		l.writeQuestion(q, start, end, code)
	}
}

// writeQuestion writes a question as a span, under the name of its participant if the log has that.
func (l *traceLog) writeQuestion(q agui.Interrupt, start, end int64, code errcode.Code) {
	l.questions++
	r := telemetry.Record{
		ID: strconv.Itoa(l.a.intent.Attempts) + ".q" + strconv.Itoa(l.questions), Parent: l.root,
		Kind: telemetry.KindQuestion,
		Name: l.a.lease.Key.Agent, Start: start, End: end, Code: code,
		SubagentRunID: q.SubagentRunID, ToolCallID: q.ToolCallID, InterruptID: q.ID,
	}
	for _, s := range l.view.steps {
		if s.Kind == telemetry.KindTurn && s.SubagentRunID == q.SubagentRunID && q.SubagentRunID != "" && s.Name != "" {
			r.Name = s.Name
		}
	}
	l.write(traceStep{Record: r})
}
