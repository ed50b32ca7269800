package teamfile

import (
	"slices"

	"github.com/agui-gateway/gateway/groupchat"
)

// maxPredictions is how many places of the state may follow calls of one agent.
const maxPredictions = 16

// predictions reads which places of the state follow arguments of an agent's calls while they are written. The agent has its tools already, all of
// them if allTools is set.
func (b *builder) predictions(f *fields, a *groupchat.LLM, allTools bool) {
	list, event := f.take("predict"), f.take("predict_event")
	if on := b.flag(event); on != nil {
		a.PredictEvent = *on
	}
	items := b.list(list, "predict")
	switch {
	case event != nil && list == nil:
		b.bad(event, "nothing is predicted; add `predict: [ { tool: write, argument: document, path: /document } ]`")
	case len(items) > maxPredictions:
		b.bad(list, "more than %d predictions; write fewer", maxPredictions)
		return
	}
	for _, item := range items {
		before := len(b.problems)
		p := b.prediction(item)
		switch {
		case len(b.problems) > before:
			continue
		case slices.ContainsFunc(a.Predict, func(o groupchat.Prediction) bool { return o.Tool == p.Tool && o.Path == p.Path }):
			b.bad(item, "calls of this tool are predicted there already; remove one")
			continue
		case allTools && a.NoFrontendTools && len(a.Sources) == 0 && !slices.ContainsFunc(a.Tools, func(t groupchat.Tool) bool { return t.Name == p.Tool || t.SourceName == p.Tool }):
			b.bad(item, "the agent has no such tool, and those of the page are off; name one of its tools")
			continue
		}
		a.Predict = append(a.Predict, p)
		b.wrote(p.Path, nil)
	}
}

// prediction reads one entry.
func (b *builder) prediction(n *node) groupchat.Prediction {
	f := b.fields(n, "a prediction")
	p := groupchat.Prediction{
		Tool:     b.text(f.need("tool", "name the tool, as the model knows it")),
		Argument: b.text(f.take("argument")),
		Path:     b.pointer(f.need("path", "say where in the state: `path: /document`")),
	}
	f.end()
	return p
}
