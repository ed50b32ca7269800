package openai

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/internal/surrogate"
	"github.com/agui-gateway/gateway/model/internal/provider"
)

// A responsesEvent is one event of a reply of the Responses API, or a whole response of a server that does not stream.
type responsesEvent struct {
	Type         json.RawMessage `json:"type"`
	OutputIndex  json.RawMessage `json:"output_index"`
	SummaryIndex json.RawMessage `json:"summary_index"`
	ItemID       json.RawMessage `json:"item_id"`
	Delta        json.RawMessage `json:"delta"`
	Item         *wireItem       `json:"item"`
	Response     *wireResponse   `json:"response"`
	Error        json.RawMessage `json:"error"`
	Object       json.RawMessage `json:"object"`
}

type wireResponse struct {
	Status     json.RawMessage `json:"status"`
	Output     []wireItem      `json:"output"`
	Usage      *wireUsage      `json:"usage"`
	Error      json.RawMessage `json:"error"`
	Incomplete *struct {
		Reason json.RawMessage `json:"reason"`
	} `json:"incomplete_details"`
}

type wireItem struct {
	Type      json.RawMessage `json:"type"`
	ID        json.RawMessage `json:"id"`
	CallID    json.RawMessage `json:"call_id"`
	Name      json.RawMessage `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Content   []struct {
		Text    json.RawMessage `json:"text"`
		Refusal json.RawMessage `json:"refusal"`
	} `json:"content"`
	Summary   json.RawMessage `json:"summary"`
	Encrypted json.RawMessage `json:"encrypted_content"`
}

// A responsesOpaque is what the API wants back of a reply: its encrypted reasoning, and where that stood among what the
// model said and called.
type responsesOpaque struct {
	Origin string     `json:"origin"`
	Items  []keptItem `json:"items"`
}

type keptItem struct {
	Reasoning *keptReasoning `json:"reasoning,omitempty"`
	Call      bool           `json:"call,omitempty"`
}

// A keptReasoning is an item of reasoning as it is sent back.
type keptReasoning struct {
	Type      string          `json:"type"`
	ID        string          `json:"id,omitempty"`
	Summary   json.RawMessage `json:"summary"`
	Encrypted string          `json:"encrypted_content"`
}

// An outputItem is the received part of one item of a reply.
type outputItem struct {
	n                        int
	name                     string // its id
	text, reasoning, refusal bool   // something came
	arguments, whole         bool
	summary                  string // the number of the part of its summary
	kept                     keptItem
}

// maxItems is the most items of one reply.
const maxItems = 1024

// A responsesReader adds the events of a reply to its draft.
type responsesReader struct {
	*provider.Draft
	origin string
	items  map[string]*outputItem
	order  []*outputItem
	spoken bool // reasoning came before
}

// item is what an event is about: by its place in the output, else by its id.
func (r *responsesReader) item(index, id json.RawMessage) (*outputItem, error) {
	place, name := "#"+jsonText(index), jsonText(id)
	item := r.items[place]
	if item == nil || place == "#" {
		item = r.items["id:"+name]
	}
	if item == nil {
		if len(r.order) >= maxItems {
			return nil, provider.NewFault(provider.Response, provider.ErrLarge)
		}
		item = &outputItem{n: len(r.order)}
		r.order = append(r.order, item)
	}
	if place != "#" {
		r.items[place] = item
	}
	if name != "" && item.name == "" { // under one more name at most: some servers give every event another id
		item.name = name
		r.items["id:"+name] = item
	}
	return item, nil
}

// add adds the next event. Kinds that are not known are left out.
func (r *responsesReader) add(raw []byte) error {
	if r.Finished() != "" {
		return nil
	}
	var e responsesEvent
	if err := json.Unmarshal(raw, &e); err != nil {
		return provider.NewFault(provider.Response, errChunk)
	}
	kind := jsonText(e.Type)
	switch {
	case kind == "error" && !jsonPresent(e.Error):
		return errorObject(raw)
	case jsonPresent(e.Error):
		return errorObject(e.Error)
	case kind == "" && jsonText(e.Object) == "response":
		var whole wireResponse
		if err := json.Unmarshal(raw, &whole); err != nil {
			return provider.NewFault(provider.Response, errChunk)
		}
		return r.ended(&whole, "response."+jsonText(whole.Status))
	case kind == "response.completed", kind == "response.incomplete", kind == "response.failed":
		if e.Response == nil {
			e.Response = &wireResponse{}
		}
		return r.ended(e.Response, kind)
	}
	var of json.RawMessage
	if of = e.ItemID; e.Item != nil && len(of) == 0 {
		of = e.Item.ID
	}
	if len(e.OutputIndex) == 0 && len(of) == 0 {
		return nil // it is about no item
	}
	item, err := r.item(e.OutputIndex, of)
	if err != nil {
		return err
	}
	return r.addTo(item, kind, e)
}

func (r *responsesReader) addTo(item *outputItem, kind string, e responsesEvent) error {
	delta := deltaText(e.Delta)
	switch kind {
	case "response.output_text.delta":
		item.text = true
		return r.Text(delta)
	case "response.refusal.delta":
		item.refusal = true
		return r.Refusal(delta)
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		return r.think(item, jsonText(e.SummaryIndex), delta)
	case "response.function_call_arguments.delta":
		item.arguments, item.kept.Call = true, true
		_, err := r.Call(item.n, "", "", delta)
		return err
	case "response.output_item.added":
		if e.Item != nil && jsonText(e.Item.Type) == "function_call" {
			item.kept.Call = true
			_, err := r.Call(item.n, jsonText(e.Item.CallID), jsonText(e.Item.Name), "")
			return err
		}
	case "response.output_item.done":
		if e.Item != nil {
			return r.done(item, e.Item)
		}
	}
	return nil
}

// think adds reasoning. Parts of a summary, and items, are paragraphs.
func (r *responsesReader) think(item *outputItem, part string, delta surrogate.Text) error {
	if delta == "" {
		return nil
	}
	if r.spoken && (!item.reasoning || item.summary != part) {
		delta = "\n\n" + delta
	}
	r.spoken, item.reasoning, item.summary = true, true, part
	return r.Reasoning(delta)
}

// done takes an item that is complete, of which everything, or nothing, may have come before.
func (r *responsesReader) done(item *outputItem, w *wireItem) error {
	if item.whole {
		return nil
	}
	item.whole = true
	var text, refusal strings.Builder
	for _, part := range w.Content {
		text.WriteString(jsonText(part.Text))
		refusal.WriteString(jsonText(part.Refusal))
	}
	switch jsonText(w.Type) {
	case "message":
		if !item.text {
			if err := r.Text(surrogate.Text(text.String())); err != nil {
				return err
			}
		}
		if !item.refusal {
			return r.Refusal(surrogate.Text(refusal.String()))
		}
	case "function_call":
		item.kept.Call = true
		arguments := deltaText(w.Arguments)
		if item.arguments {
			arguments = ""
		}
		_, err := r.Call(item.n, jsonText(w.CallID), jsonText(w.Name), arguments)
		return err
	case "reasoning":
		if encrypted := jsonText(w.Encrypted); encrypted != "" {
			item.kept.Reasoning = &keptReasoning{"reasoning", jsonText(w.ID), json.RawMessage("[]"), encrypted}
			if jsonPresent(w.Summary) {
				item.kept.Reasoning.Summary = slices.Clone(w.Summary)
			}
		}
		if !item.reasoning {
			said := jsonText(w.Summary)
			if said == "" {
				said = text.String()
			}
			return r.think(item, "", surrogate.Text(said))
		}
	}
	return nil
}

func (r *responsesReader) ended(w *wireResponse, kind string) error {
	if w.Usage != nil {
		w.Usage.into(r.Usage())
	}
	if kind == "response.failed" || jsonPresent(w.Error) {
		return errorObject(w.Error)
	}
	for i := range w.Output {
		index, err := json.Marshal(i)
		if err != nil {
			return err
		}
		item, err := r.item(index, w.Output[i].ID)
		if err != nil {
			return err
		}
		if err := r.done(item, &w.Output[i]); err != nil {
			return err
		}
	}
	finish := "stop"
	if slices.ContainsFunc(r.order, func(i *outputItem) bool { return i.kept.Call }) {
		finish = "tool_calls"
	}
	if kind == "response.incomplete" {
		finish = "incomplete"
		if w.Incomplete != nil {
			finish = jsonText(w.Incomplete.Reason)
		}
		if finish == "max_output_tokens" {
			finish = "length" // as chat completions have it
		}
	}
	r.Finish(finish)
	return nil
}

func (r *responsesReader) end(bool, bool) error {
	opaque := responsesOpaque{Origin: r.origin}
	encrypted := false
	for _, item := range r.order {
		opaque.Items = append(opaque.Items, item.kept)
		encrypted = encrypted || item.kept.Reasoning != nil
	}
	if encrypted {
		raw, err := json.Marshal(opaque)
		if err == nil {
			err = r.Opaque(raw)
		}
		if err != nil {
			return err
		}
	}
	return endReply(r.Draft)
}
