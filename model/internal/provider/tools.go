package provider

import "encoding/json"

// ObjectText is arguments, or an empty object if a call was cut off before they were complete: servers decode
// arguments, and refuse a conversation in which they cannot. The call's result tells the model what became of the call.
func ObjectText(arguments string) string {
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(arguments), &object) != nil || object == nil {
		return "{}"
	}
	return arguments
}

// ToolParameters is schema as servers accept it: an object, with the members type and properties, on which some insist.
func ToolParameters(schema json.RawMessage) json.RawMessage {
	var object map[string]json.RawMessage
	if json.Unmarshal(schema, &object) != nil || object == nil {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	_, typed := object["type"]
	_, listed := object["properties"]
	if typed && listed {
		return schema
	}
	if !typed {
		object["type"] = json.RawMessage(`"object"`)
	}
	if !listed {
		object["properties"] = json.RawMessage(`{}`)
	}
	out, err := json.Marshal(object)
	if err != nil {
		return schema
	}
	return out
}
