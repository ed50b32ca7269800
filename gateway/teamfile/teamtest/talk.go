package teamtest

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/agui-gateway/gateway/agui/client"
	"github.com/agui-gateway/gateway/errcode"
)

// talk plays the steps.
func (p *player) talk(ctx context.Context, h http.Handler, agent string) {
	t, err := newTalk(p.conversation, agent, h)
	if err != nil || p.doc.Err() != nil {
		p.result.fail(errors.Join(err, p.doc.Err()), p.file)
		return
	}
	for i, s := range p.steps {
		if s.expect != nil {
			p.judge(s, t.last)
			continue
		}
		err := t.send(ctx, s.sends)
		p.result.Runs = t.runs
		for _, text := range p.told.take() { // complaints of models and servers
			p.result.add(s.at, p.file, text)
		}
		if refused, ok := errors.AsType[*client.Error](err); ok && refused.Code != "" {
			h := hear(agent, t.last)
			h.code = refused.Code
			t.last, err = h, nil
		}
		if err != nil {
			p.result.add(s.at, p.file, "the request fails: "+err.Error())
			return
		}
		if p.doc.Err() != nil { // no question is open for an answer
			p.result.fail(p.doc.Err(), p.file)
			return
		}
		p.result.Talk = append(p.result.Talk, Exchange{Sent: s.sends.String(), Heard: t.last.String()})
		judged := i+1 < len(p.steps) && p.steps[i+1].expect != nil
		if t.last.code != "" && !judged && errcode.Code(t.last.code) != errcode.Cancelled {
			p.result.add(s.at, p.file, "the run fails with "+t.last.code+t.last.why()+", and no step expects that")
		}
	}
	p.finish()
}

// judge compares the result of a run with what a step expects.
func (p *player) judge(s *step, h *heard) {
	all := s.expect.check(h)
	if len(all) == 0 {
		return
	}
	if p.o.Update {
		p.rewritten = append(p.rewritten, rewrite{s, s.expect.updated(h)})
		return
	}
	for _, m := range all {
		problem := problemAt(m.at, p.file, m.text)
		problem.Want, problem.Got, problem.Diff = m.want, m.got, m.diff()
		p.result.Problems = append(p.result.Problems, problem)
	}
}

// finish notes replies and results that were not used, and writes recordings and updates.
func (p *player) finish() {
	for _, s := range p.models {
		m := p.scripts[s.name]
		if m == nil {
			continue
		}
		for _, r := range m.Unused() {
			at := s.at
			for i, place := range s.places {
				if s.replies[i].Label == r.Label {
					at = place
				}
			}
			p.result.add(at, p.file, "nobody asked the model "+s.name+" for this reply: "+r.String())
		}
	}
	for _, s := range p.servers {
		for _, r := range s.unused() {
			p.result.add(r.at, p.file, "no call was made for this result")
		}
	}
	for _, e := range p.endpoints {
		for _, r := range e.tool.unused() {
			p.result.add(r.at, p.file, "no request was made for this result")
		}
	}
	for _, r := range p.recorders {
		if err := r.write(); err != nil {
			p.result.fail(err, p.file)
			continue
		}
		p.result.Recorded = append(p.result.Recorded, r.file)
	}
	if len(p.rewritten) > 0 {
		if err := p.write(); err != nil {
			p.result.fail(err, p.file)
			return
		}
		p.result.Updated = true
	}
}

// String returns the request in one line.
func (s sends) String() string {
	if s.user != nil {
		return "user: " + *s.user
	}
	var parts []string
	for _, a := range s.answers {
		parts = append(parts, strings.TrimSpace(a.kind+" "+a.name+" "+string(a.value)))
	}
	return strings.Join(parts, ", ")
}
