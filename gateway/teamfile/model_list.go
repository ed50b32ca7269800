package teamfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/model"
)

// A modelList is an entry of models with first_of, which is made when all others are.
type modelList struct {
	key, node *node
	reading   bool
	done      bool
}

// isModelList reports whether an entry of models is a list of others.
func isModelList(n *node) bool {
	return slices.ContainsFunc(n.keys, func(k *node) bool { return k.text == "first_of" })
}

// buildModelLists makes the models that are lists of others.
func (b *builder) buildModelLists(lists []*modelList) {
	b.modelLists = map[string]*modelList{}
	for _, l := range lists {
		b.modelLists[l.key.text] = l
	}
	for _, l := range lists {
		b.buildModelList(l, nil)
	}
}

// buildModelList makes one of them, and before it those that it names. Way are the lists that lead to it.
func (b *builder) buildModelList(l *modelList, way []string) {
	if l.done {
		return
	}
	l.reading = true
	before := len(b.problems)
	f := b.fields(l.node, fmt.Sprintf("model %q, a list of models,", l.key.text))
	f.kind = "model list"
	names := f.take("first_of")
	f.take("cache") // see cached
	f.end()
	list := &model.FirstOf{Log: b.log}
	way = append(slices.Clip(way), l.key.text)
	for _, n := range b.list(names, "first_of") {
		if m := b.listedModel(n, way); m != nil {
			list.Models = append(list.Models, m)
		}
	}
	if names != nil && names.kind == listNode && len(names.items) == 0 {
		b.bad(names, "the list is empty; name the models in the order in which they are to be asked")
	}
	l.reading, l.done = false, true
	if len(b.problems) > before || len(list.Models) != len(names.items) {
		b.brokenModels[l.key.text] = true
		return
	}
	if m := b.cached(list, l.node); m != nil {
		b.models[l.key.text] = m
		return
	}
	b.brokenModels[l.key.text] = true
}

// listedModel is the model that n, an item of a list, names. Nil means that there is none, which is noted here or where it is described.
func (b *builder) listedModel(n *node, way []string) model.Model {
	before := len(b.problems)
	name, quotable := b.word(n)
	if len(b.problems) > before {
		return nil
	}
	if l := b.modelLists[name]; l != nil {
		if l.reading {
			circle := append(way[slices.Index(way, name):], name)
			b.bad(n, "the list names itself: %s; name another model", strings.Join(circle, " → "))
			return nil
		}
		b.buildModelList(l, way)
	}
	m := b.models[name]
	if m == nil && !b.brokenModels[name] {
		b.unknownModel(n, name, quotable)
	}
	return m
}
