package a2ui

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/partial"
)

// Options are those of a [Watcher].
type Options struct {
	// Tool is the name of the tool that renders; empty means render_a2ui.
	Tool string
	// Catalogue validates surfaces. Its ID is the catalogue of surfaces for which the model names none; empty means the
	// model's, or else [BasicCatalogue].
	Catalogue Catalogue
	// Attempts is the number of attempts that pages show; 0 means 3.
	Attempts int
	// Find returns the message and the operations of a surface that an earlier activity shows, such as [Shown]; nil
	// finds none.
	Find func(surface string) (messageID string, operations []Operation)
}

// RenderTool is the name of the tool that renders a surface, where it has no other.
const RenderTool = "render_a2ui"

// The limits of updates of an incomplete surface: beyond them it is sent when it is complete.
const (
	maxPaints   = 64
	maxPainted  = 1 << 20 // bytes
	tokenStep   = 20
	bytesAToken = 4
)

// A Watcher makes activities of the events of one turn. It is used by one goroutine.
type Watcher struct {
	o     Options
	calls map[string]*renderCall
	// rejected is the last invalid call. The next call continues its activity; attempts are its and the earlier ones.
	rejected string
	attempts []Attempt
	shown    map[string]bool // the activities that somebody else has sent
}

// A renderCall is a call of the tool that renders, while its arguments come.
type renderCall struct {
	key      string // the call that began its activity
	args     *partial.Object
	size     int // bytes of the arguments
	units    int // of the arguments, as JavaScript counts their length
	told     int // tokens
	design   *Design
	list     string // in data, over which components are repeated
	items    int    // of it, that were sent
	paints   int
	bytes    int // that were sent
	rejected bool
	unfit    bool // the components are complete, and not such that can be judged
	complete bool
	retries  bool // another call was rejected before
}

// NewWatcher returns a watcher of a turn that begins.
func NewWatcher(o Options) *Watcher {
	o.Tool, o.Attempts = cmp.Or(o.Tool, RenderTool), cmp.Or(o.Attempts, DefaultAttempts)
	return &Watcher{o: o, calls: map[string]*renderCall{}, shown: map[string]bool{}}
}

// Next takes the next event of the turn and returns the activities that are sent before it, and those that are sent
// after it.
func (w *Watcher) Next(e agui.Event) (before, after []agui.Event) {
	switch e := e.(type) {
	case *agui.ToolCallStart:
		if e.ToolCallName == w.o.Tool {
			before = w.start(e.ToolCallID)
		}
	case *agui.ToolCallArgs:
		if c := w.calls[e.ToolCallID]; c != nil {
			before = w.arguments(c, e.Delta)
		}
	case *agui.ToolCallResult:
		after = w.result(e.ToolCallID, e.Content.Text())
	case *agui.TextMessageStart:
		if w.rejected != "" { // words instead of another attempt
			before = []agui.Event{failed(w.rejected,
				failure{Error: "There was no valid surface.", Attempts: w.attempts}, w.o.Attempts)}
		}
	case *agui.ActivitySnapshot:
		if e.ActivityType == ActivityType && len(ReadResult(string(e.Content))) > 0 {
			w.shown[e.MessageID] = true
		}
	}
	return before, after
}

func (w *Watcher) start(call string) []agui.Event {
	c := &renderCall{key: call, list: "items",
		args: partial.NewObject("surfaceId", "catalogId", "components", "data")}
	w.calls[call] = c
	if w.rejected != "" {
		c.key, c.retries, w.rejected = w.rejected, true, ""
		return nil // the problems stay visible until the surface is valid
	}
	w.attempts = nil
	return []agui.Event{building(call, 0)}
}

func (w *Watcher) arguments(c *renderCall, delta string) (events []agui.Event) {
	if c.size+len(delta) > 3*MaxSurface {
		return nil // the tool says that it is too much
	}
	c.add(delta)
	waits := c.design == nil && !c.rejected && !c.complete
	if tokens := (c.units + bytesAToken/2) / bytesAToken; waits && !c.retries && tokens-c.told >= tokenStep {
		c.told = tokens
		events = append(events, building(c.key, tokens))
	}
	if !strings.ContainsAny(delta, "\"}]") {
		return events
	}
	surface := text(c.args.Member("surfaceId").Whole())
	if surface == "" {
		return events
	}
	advanced := false
	if c.design == nil && !c.rejected {
		rejection := w.design(c, surface)
		if rejection != nil {
			events = append(events, rejection)
		}
		advanced = c.design != nil
	}
	if c.design == nil || c.complete {
		return events
	}
	return append(events, w.paint(c, advanced, strings.ContainsAny(delta, "}]"))...)
}

// add reads more of the arguments. Text that is no JSON is not read further.
func (c *renderCall) add(delta string) {
	c.size += len(delta)
	for _, r := range delta {
		c.units++
		if r > 0xFFFF {
			c.units++
		}
	}
	_ = c.args.Write(delta) // the tool reports it
}

// design takes the components of a call if they are complete. It returns an activity if they cannot be drawn.
func (w *Watcher) design(c *renderCall, surface string) agui.Event {
	list := c.args.Member("components").Whole()
	if c.unfit || list == nil {
		return nil
	}
	c.unfit = true // unless it turns out to be fit: a member that is complete stays as it is
	var components []json.RawMessage
	if json.Unmarshal(list, &components) != nil || len(components) == 0 {
		return nil
	}
	typed := func(raw json.RawMessage) bool {
		var o struct {
			Component *string `json:"component"`
		}
		return json.Unmarshal(raw, &o) == nil && o.Component != nil
	}
	for _, raw := range components {
		if !typed(raw) {
			return nil
		}
	}
	d := &Design{SurfaceID: surface, Components: components}
	if problems := d.Validate(w.o.Catalogue); problems != nil {
		return w.reject(c, problems)
	}
	c.design, c.list = d, repeatedList(components)
	return nil
}

func (w *Watcher) reject(c *renderCall, problems []Problem) agui.Event {
	c.rejected, c.design = true, nil
	w.attempts = append(w.attempts, Attempt{Attempt: len(w.attempts) + 1, Errors: problems})
	w.rejected = c.key
	return retrying(c.key, len(w.attempts)+1, w.o.Attempts, problems)
}

// paint sends as much of a surface as there is and was not sent yet.
func (w *Watcher) paint(c *renderCall, advanced, closed bool) (events []agui.Event) {
	d := *c.design
	room := c.paints < maxPaints && c.bytes < maxPainted
	data := c.args.Member("data")
	if n := data.Items(c.list); room && n > c.items { // copies only items that are sent
		items := data.List(c.list)
		name, _ := json.Marshal(c.list) // a text
		c.items = n
		d.Data = json.RawMessage("{" + string(name) + ":" + string(items) + "}")
		if problems := w.callsIn(d.Data); problems != nil {
			return []agui.Event{w.reject(c, problems)}
		}
		advanced = true
	}
	if advanced && room {
		events = append(events, w.painted(c, d))
	}
	if data := data.Whole(); closed && len(data) > 0 && data[0] == '{' && len(data) <= MaxSurface {
		if problems := w.callsIn(data); problems != nil {
			return append(events, w.reject(c, problems))
		}
		c.complete = true
		d.Data = data
		events = append(events, w.painted(c, d))
	}
	return events
}

// callsIn reports calls in data that a surface may not make.
func (w *Watcher) callsIn(data json.RawMessage) []Problem {
	v := validation{catalogue: w.o.Catalogue}
	v.checkJSONCalls("data", data, true)
	return v.problems
}

func (w *Watcher) painted(c *renderCall, d Design) agui.Event {
	e := painted(MessageID(c.key), d.Operations(w.catalogueOf(c)))
	c.paints++
	c.bytes += len(e.Content)
	return e
}

// catalogueOf is the id of the catalogue that a call's surface has.
func (w *Watcher) catalogueOf(c *renderCall) string {
	if w.o.Catalogue.ID != "" {
		return w.o.Catalogue.ID
	}
	if id := text(c.args.Member("catalogId").Whole()); id != "basic" {
		return id
	}
	return ""
}

// repeatedList is the member of data over which the first component that is repeated is repeated.
func repeatedList(components []json.RawMessage) string {
	for _, raw := range components {
		var c struct {
			Children json.RawMessage `json:"children"`
		}
		var template struct {
			Path string `json:"path"`
		}
		if json.Unmarshal(raw, &c) == nil && json.Unmarshal(c.Children, &template) == nil && template.Path != "" {
			return strings.TrimPrefix(template.Path, "/")
		}
	}
	return "items"
}
