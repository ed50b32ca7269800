package openai

import (
	"encoding/json"
	"slices"

	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/model/internal/provider"
)

// A chatOpaque is what a server of chat completions wants back beside the words it said.
type chatOpaque struct {
	Origin string `json:"origin"`
	// Calls are what the server signed calls with, by their number in the reply.
	Calls map[int]json.RawMessage `json:"calls,omitempty"`
	// Details are the reasoning_details of a router.
	Details []map[string]json.RawMessage `json:"details,omitempty"`
}

func (o *chatOpaque) sign(n int, raw json.RawMessage) {
	if o.Calls == nil {
		o.Calls = map[int]json.RawMessage{}
	}
	o.Calls[n] = slices.Clone(raw)
}

// maxDetails is the most pieces of reasoning_details that are kept.
const maxDetails = 256

// addDetails keeps the next pieces of reasoning_details. Pieces of one index and type are joined, text by text.
func (o *chatOpaque) addDetails(raw json.RawMessage) error {
	var pieces []map[string]json.RawMessage
	if !jsonPresent(raw) || json.Unmarshal(raw, &pieces) != nil {
		return nil
	}
	for _, piece := range pieces {
		i := slices.IndexFunc(o.Details, func(d map[string]json.RawMessage) bool {
			return piece["index"] != nil && string(d["index"]) == string(piece["index"]) &&
				string(d["type"]) == string(piece["type"])
		})
		if i < 0 {
			if len(o.Details) >= maxDetails {
				return provider.NewFault(provider.Response, provider.ErrLarge)
			}
			o.Details = append(o.Details, piece)
			continue
		}
		for name, value := range piece {
			switch name {
			case "text", "summary", "data":
				joined, err := json.Marshal(jsonText(o.Details[i][name]) + jsonText(value))
				if err != nil {
					return err
				}
				o.Details[i][name] = joined
			default:
				if jsonPresent(value) {
					o.Details[i][name] = value
				}
			}
		}
	}
	return nil
}

// encode is o as it is recorded; nil if there is nothing in it.
func (o *chatOpaque) encode(origin string) json.RawMessage {
	if o.Calls == nil && o.Details == nil {
		return nil
	}
	o.Origin = origin
	raw, err := json.Marshal(o)
	if err != nil {
		return nil // of a server's own JSON it cannot fail
	}
	return raw
}

// sendBack adds to an assistant's message what its server wants back of it.
func (m *Model) sendBack(w *chatMessage, message model.Message) {
	var kept chatOpaque
	if message.Opaque != nil && json.Unmarshal(message.Opaque, &kept) == nil && kept.Origin == m.origin() {
		for i := range w.ToolCalls {
			w.ToolCalls[i].ExtraContent = kept.Calls[i]
		}
	} else {
		kept = chatOpaque{}
	}
	if message.Reasoning == "" && len(message.Calls) == 0 {
		return
	}
	// Beside calls it is sent also if it is not known any more: servers that want it refuse such a message without.
	switch m.o.Echo {
	case EchoReasoningContent:
		w.ReasoningContent = &message.Reasoning
	case EchoReasoning:
		w.Reasoning = &message.Reasoning
		if kept.Details != nil {
			w.ReasoningDetails, _ = json.Marshal(kept.Details) // it was read from JSON
		}
	default:
	}
}
