package teamfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/model"
)

// A modelList is an entry of models with first_of, which is made after all others.
type modelList struct {
	key, node *Value
	reading   bool
	done      bool
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

// buildModelList makes one list, and before it those that it names. The lists in way lead to it.
func (b *builder) buildModelList(l *modelList, way []string) {
	if l.done {
		return
	}
	l.reading = true
	f := l.node.Fields(fmt.Sprintf("model %q, a list of models,", l.key.text), "model list")
	names := f.Take("first_of")
	f.Take("cache") // see cached
	f.End()
	list := &model.FirstOf{Log: b.o.Log}
	way = append(slices.Clip(way), l.key.text)
	items := names.itemsOf("first_of", "the list is empty; name the models in the order in which they are to be asked")
	for _, n := range items {
		if m := b.listedModel(n, way); m != nil {
			list.Models = append(list.Models, m)
		}
	}
	l.reading, l.done = false, true
	if !f.ok() || len(list.Models) != len(items) {
		b.addModel(l.key.text, nil)
		return
	}
	b.addModel(l.key.text, b.cached(list, l.node))
}

// listedModel returns the model that n, an item of a list, names. It returns nil if there is none, which is noted here
// or at the description of the model.
func (b *builder) listedModel(n *Value, way []string) model.Model {
	name := n.Text()
	if l := b.modelLists[name]; l != nil {
		if l.reading {
			circle := append(way[slices.Index(way, name):], name)
			n.Bad("the list names itself: %s; name another model", strings.Join(circle, " → "))
			return nil
		}
		b.buildModelList(l, way)
	}
	return b.model(n, n)
}
