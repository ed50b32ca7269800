package teamfile

import (
	"slices"

	"github.com/agui-gateway/gateway/groupchat"
)

// maxPredictions limits the places of the state that follow calls of one agent.
const maxPredictions = 16

// predictions reads which places of the state follow arguments of an agent's calls while the model writes them. The
// agent has its tools already, all of them if allTools is set.
func (b *builder) predictions(f *Fields, a *groupchat.LLM, allTools bool) {
	list, event := f.Take("predict"), f.Take("predict_event")
	a.PredictEvent = event.on()
	items := list.List("predict")
	switch {
	case event != nil && list == nil:
		event.Bad("nothing is predicted; add `predict: [ { tool: write, argument: document, path: /document } ]`")
	case len(items) > maxPredictions:
		list.Bad("more than %d predictions; write fewer", maxPredictions)
		return
	}
	for _, item := range items {
		p, ok := prediction(item)
		same := func(o groupchat.Prediction) bool { return o.Tool == p.Tool && o.Path == p.Path }
		named := func(t groupchat.Tool) bool { return t.Name == p.Tool || t.SourceName == p.Tool }
		switch {
		case !ok:
		case slices.ContainsFunc(a.Predict, same):
			item.Bad("calls of this tool are predicted there already; remove one")
		case allTools && a.NoFrontendTools && len(a.Sources) == 0 && !slices.ContainsFunc(a.Tools, named):
			item.Bad("the agent has no such tool, and those of the page are off; name one of its tools")
		default:
			a.Predict = append(a.Predict, p)
			b.wrote(p.Path, nil)
		}
	}
}

// prediction reads one entry.
func prediction(n *Value) (p groupchat.Prediction, ok bool) {
	f := n.Fields("a prediction", "")
	p = groupchat.Prediction{
		Tool:     f.Need("tool", "name the tool, as the model knows it").Text(),
		Argument: f.Take("argument").Text(),
		Path:     f.Need("path", "say where in the state: `path: /document`").pointer(),
	}
	f.End()
	return p, f.ok()
}
