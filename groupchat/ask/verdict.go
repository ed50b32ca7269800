package ask

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/internal/clip"
	"github.com/agui-gateway/gateway/internal/exact"
)

// A Verdict is a person's decision about something that a question shows: a draft, a plan, a call of a tool. The zero
// value is a no.
type Verdict struct {
	// Approved says that the person accepts it as it is.
	Approved bool
	// Comments say what to change: nothing is approved then. Reason is what else the person says about the decision.
	Comments, Reason string
}

// Changes is what the person says about something that can be revised: the comments and the reason.
func (v Verdict) Changes() string { return strings.TrimSpace(v.Comments + "\n" + v.Reason) }

// verdictMembers are those of a verdict. Value is what clients send that have one field for every question.
var verdictMembers = []string{"approved", "comments", "reason", "value"}

// errNoVerdict is for answers that decide nothing, or that have a member without a meaning.
var errNoVerdict = errors.New("groupchat: the answer neither approves nor says what to change")

// ReadVerdict reads an answer as a verdict. The payload is true or false, a text, or an object with the members
// "approved", "comments", "reason" and "value", which is one of the former. An empty text approves, any other is a
// comment. A cancelled question is a no, and so is an answer of which one part says no. Own are further members that
// the question knows. An answer with any other member, with a member of another type, or without a decision is an
// error: the question is asked again.
func ReadVerdict(a Answer, own ...string) (v Verdict, err error) {
	if a.Cancelled {
		return v, nil
	}
	var members map[string]json.RawMessage // and no struct, for which "Approved" would be "approved"
	if exact.Unmarshal(a.Payload, &members) != nil || members == nil {
		members = map[string]json.RawMessage{"value": a.Payload}
	}
	var said []bool
	for _, name := range slices.Sorted(maps.Keys(members)) {
		var yes bool
		var text string
		isText, isBool := exact.Unmarshal(members[name], &text) == nil, exact.Unmarshal(members[name], &yes) == nil
		null := string(members[name]) == "null"
		switch {
		case slices.Contains(own, name):
		case null:
			return Verdict{}, fmt.Errorf("%w: %s is null", errNoVerdict, name)
		case isBool && (name == "approved" || name == "value"):
			said = append(said, yes)
		case isText && name == "reason":
			v.Reason = strings.TrimSpace(text)
		case isText && (name == "comments" || name == "value"):
			v.Comments = strings.TrimSpace(v.Comments + "\n" + text)
			if strings.TrimSpace(text) == "" {
				said = append(said, true)
			}
		default:
			return Verdict{}, fmt.Errorf("%w: it has the member %q", errNoVerdict, clip.To(name, 100))
		}
	}
	v.Approved = len(said) > 0 && !slices.Contains(said, false) && v.Comments == ""
	if len(said) == 0 && v.Changes() == "" {
		return v, errNoVerdict
	}
	return v, nil
}

// VerdictSchema returns the JSON Schema of answers that [ReadVerdict] reads, with the schemas of further members. It
// also allows the members that every verdict may have.
func VerdictSchema(members map[string]any) json.RawMessage {
	properties := map[string]any{
		"approved": map[string]any{"type": "boolean", "title": "Go ahead"},
		"comments": map[string]any{"type": "string", "title": "What to change"},
	}
	maps.Copy(properties, members)
	raw, _ := agui.Marshal(VerdictForm(properties)) // of schemas, which are JSON
	return raw
}

// VerdictForm is the schema of verdicts with these members. Names are compared letter by letter.
func VerdictForm(properties map[string]any) map[string]any {
	names := slices.Sorted(maps.Keys(properties))
	for _, name := range verdictMembers {
		if properties[name] == nil {
			names = append(names, name)
		}
	}
	return map[string]any{"type": "object", "propertyNames": map[string]any{"enum": names}, "properties": properties}
}
