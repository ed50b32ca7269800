package a2ui

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/agui-gateway/gateway/internal/clip"
)

// Validate reports why a design cannot be drawn; nil if it can. Catalogue-dependent rules hold only if c knows
// components.
func (d Design) Validate(c Catalogue) []Problem {
	var problems []Problem
	if d.SurfaceID == "" {
		problems = append(problems, Problem{CodeNoID, "surfaceId", "the surface has no id"})
	}
	if len(d.Data) > 0 && d.Data[0] != '{' {
		problems = append(problems, Problem{CodeNotData, "data", "the data are not an object"})
	}
	if size := len(d.Data); size > MaxSurface {
		problems = append(problems,
			Problem{CodeTooLarge, "data", fmt.Sprintf("the data have %d bytes, more than %d", size, MaxSurface)})
	}
	v := validation{catalogue: c}
	v.checkJSONCalls("data", d.Data, true)
	return slices.Concat(problems, v.problems, ValidateComponents(d.Components, c))
}

// ValidateComponents reports why components cannot be drawn, at most 20 reasons: each needs a unique id and a type, one
// is the root, every child is there, none contains itself, and none calls a function that a surface may not call. If
// the catalogue lists components, their types are in it and have the required properties. The cost grows with the size
// of the components.
func ValidateComponents(components []json.RawMessage, c Catalogue) []Problem {
	v := validation{catalogue: c}
	if len(components) == 0 {
		return []Problem{{CodeEmpty, "components", "components has to be a list that is not empty"}}
	}
	size := 0
	for _, raw := range components {
		size += len(raw)
	}
	if len(components) > MaxComponents || size > MaxSurface {
		return []Problem{{CodeTooLarge, "components",
			fmt.Sprintf("%d components of %d bytes are more than %d of %d bytes", len(components), size, MaxComponents,
				MaxSurface)}}
	}
	for i, raw := range components {
		v.read(i, raw)
	}
	for i := range v.parts {
		v.check(i)
	}
	if v.byID["root"] == nil {
		v.report(CodeNoRoot, "components", "no component has the id \"root\"")
	}
	v.findCycles()
	return v.problems
}

type part struct {
	id, kind string
	members  map[string]json.RawMessage
	refs     []ref
}

type ref struct{ path, id string }

type validation struct {
	catalogue Catalogue
	parts     []*part
	byID      map[string]*part
	problems  []Problem
}

func (v *validation) report(code, path, message string) {
	if len(v.problems) < maxProblems {
		v.problems = append(v.problems, Problem{code, path, message})
	}
}

func (v *validation) read(i int, raw json.RawMessage) {
	p := &part{}
	v.parts = append(v.parts, p)
	if json.Unmarshal(raw, &p.members) != nil {
		p.members = nil
	}
	p.id, p.kind = text(p.members["id"]), text(p.members["component"])
	switch {
	case p.id == "":
	case v.byID[p.id] != nil:
		v.report(CodeDuplicate, fmt.Sprintf("components[%d].id", i),
			fmt.Sprintf("there is another component with the id %q", clip.To(p.id, maxProblemNameSize)))
	default:
		if v.byID == nil {
			v.byID = map[string]*part{}
		}
		v.byID[p.id] = p
	}
	for _, name := range slices.Sorted(maps.Keys(p.members)) { // a component is no call itself
		v.checkJSONCalls(fmt.Sprintf("components[%d].%s", i, clip.To(name, maxProblemNameSize)), p.members[name], false)
	}
	p.refs = refsOf(p.members, v.catalogue.Components[p.kind])
}

// check looks at the component at i when all are known.
func (v *validation) check(i int) {
	p := v.parts[i]
	at := fmt.Sprintf("components[%d]", i)
	if p.id == "" {
		v.report(CodeNoID, at+".id", "the component has no id, which is a text")
	}
	if p.kind == "" {
		v.report(CodeNoType, at+".component", "the component has no type, which is a text in the member component")
	}
	if known, ok := v.catalogue.Components[p.kind]; len(v.catalogue.Components) > 0 && p.kind != "" {
		if !ok {
			v.report(CodeUnknown, at+".component",
				fmt.Sprintf("the catalogue has no component %q", clip.To(p.kind, maxProblemNameSize)))
		}
		for _, name := range known.Required {
			if _, there := p.members[name]; !there {
				v.report(CodeMissing, at+"."+name, fmt.Sprintf("a %s needs %q", p.kind, name))
			}
		}
	}
	for _, r := range p.refs {
		if v.byID[r.id] == nil {
			v.report(CodeNoChild, at+"."+r.path,
				fmt.Sprintf("no component has the id %q", clip.To(r.id, maxProblemNameSize)))
		}
	}
}

// findCycles reports components that contain themselves, and those that nest too deep. A page would draw them for ever.
func (v *validation) findCycles() {
	type visit struct {
		p    *part
		next int
	}
	done, open := map[*part]bool{}, map[*part]bool{}
	for _, from := range v.parts {
		if done[from] {
			continue
		}
		stack := []visit{{p: from}}
		open[from] = true
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if top.next == len(top.p.refs) {
				delete(open, top.p)
				done[top.p] = true
				stack = stack[:len(stack)-1]
				continue
			}
			child := v.byID[top.p.refs[top.next].id]
			top.next++
			switch {
			case child == nil || done[child]:
			case open[child]:
				v.report(CodeCycle, "components",
					fmt.Sprintf("the component %q contains itself", clip.To(child.id, maxProblemNameSize)))
			default:
				open[child] = true
				stack = append(stack, visit{p: child})
			}
		}
	}
	v.checkExtent()
}

// checkExtent reports components that nest deeper than [MaxDepth], and those that are drawn too often: one that several
// contain is drawn for each of them.
func (v *validation) checkExtent() {
	root := v.byID["root"]
	if root == nil || slices.ContainsFunc(v.problems, func(p Problem) bool { return p.Code == CodeCycle }) {
		return
	}
	switch e := v.extentOf(root, map[*part]extent{}); {
	case e.depth > MaxDepth:
		v.report(CodeTooLarge, "components", fmt.Sprintf("the components nest deeper than %d", MaxDepth))
	case e.drawn > maxDrawn:
		v.report(CodeTooLarge, "components",
			fmt.Sprintf("the components contain each other so often that more than %d are drawn", maxDrawn))
	}
}

// maxDrawn is how many components a surface is drawn with, where one may be drawn several times.
const maxDrawn = 10 * MaxComponents

// An extent is how deep a component nests, and how many are drawn for it.
type extent struct{ depth, drawn int }

func (v *validation) extentOf(p *part, known map[*part]extent) extent {
	if e, ok := known[p]; ok {
		return e
	}
	e := extent{depth: 1, drawn: 1}
	for _, r := range p.refs {
		if child := v.byID[r.id]; child != nil {
			inner := v.extentOf(child, known)
			e.depth = max(e.depth, inner.depth+1)
			e.drawn = min(e.drawn+inner.drawn, maxDrawn+1)
		}
	}
	known[p] = e
	return e
}

// text is a JSON string; empty for anything else.
func text(raw json.RawMessage) (s string) {
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}
