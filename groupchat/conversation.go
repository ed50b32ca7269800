package groupchat

import (
	"cmp"
	"encoding/json"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
	"github.com/agui-gateway/gateway/groupchat/internal/approval"
)

// An OutputMode says who sees the messages of an agent that works within another's turn.
type OutputMode string

// The output modes.
const (
	OutputBoth   OutputMode = ""       // they are shown as they are said, and are part of the conversation
	OutputDirect OutputMode = "direct" // people see them as they are said, but no other agent of the team does
	// only its last words are shown, when it is done, and are part of the conversation
	OutputHistory OutputMode = "history"
	OutputNone    OutputMode = "none" // nothing is shown: who invoked it gets its words
)

// ownConversation reports whether the agent works in a private conversation, which clients do not see.
func (o OutputMode) ownConversation() bool { return o == OutputHistory || o == OutputNone }

func (o OutputMode) known() bool {
	return o == OutputBoth || o == OutputDirect || o == OutputHistory || o == OutputNone
}

// A branch is a private conversation. A record keeps its messages over a pause.
type branch struct {
	run   *run.Run
	given int // how many messages it began with
}

// branch makes a conversation that begins with given and continues with kept.
func (x *execution) branch(given, kept []Message) (*branch, error) {
	run := run.New(run.Options{
		ThreadID: x.Input.ThreadID, RunID: x.Input.RunID, NewID: x.NewID,
		View: run.NewView(slices.Concat(given, kept), nil),
		Sink: func(agui.Event, []byte) error { return nil },
	})
	return &branch{run, len(messages(run)) - len(kept)}, run.Start(&agui.RunStarted{})
}

func (b *branch) said() []Message {
	all := messages(b.run)
	return all[min(b.given, len(all)):]
}

func messages(r *run.Run) []Message {
	var all []Message
	r.Inspect(func(v *run.View) { all = v.Messages() })
	return all
}

// backward are the messages that the root's turn sees, from the newest on, so that a search for the last of a kind does
// not read a long thread. It is nil for other turns, which see less.
func (t *Turn) backward() iter.Seq[Message] {
	if t.up != nil || t.visibility != nil || t.output.ownConversation() {
		return nil
	}
	return func(yield func(Message) bool) {
		t.run.Inspect(func(v *run.View) {
			for m := range v.Backward() {
				if markOf(m).Direct == "" && !yield(m) {
					return
				}
			}
		})
	}
}

// useBranch makes t write to a private conversation from now on, which begins with given and is kept in the record's
// field. Its questions and calls stay in the conversation that people see.
func (t *Turn) useBranch(given []Message, kept *[]Message) (*checkpointHook, error) {
	b, err := t.x.branch(given, t.x.branchOf(kept))
	if err != nil {
		return nil, err
	}
	t.run, t.out = b.run, b.run.Writer
	if id := t.record.SubagentRunID; id != "" {
		t.out = b.run.Subagent(agui.SubagentStarted{SubagentRunID: id, Name: t.name()}).Writer
	}
	return t.x.addHook(func() { *kept = b.said() }), nil
}

// visible omits messages that are hidden from path.
func visible(messages []Message, path string) []Message {
	hidden := func(m Message) bool {
		to := markOf(m).Direct
		return to != "" && path != to && !strings.HasPrefix(path, to+".")
	}
	if !slices.ContainsFunc(messages, hidden) {
		return messages
	}
	return slices.DeleteFunc(slices.Clone(messages), hidden)
}

// Names tell the participants of one team apart. In a tree of teams several may have one name, so who said something is
// known by path: that of the mark on the message, else that of the only agent in the tree with the name.

// A mark is what this package keeps in a message's metadata, under [turnMeta].
type mark struct {
	// Direct is the path of the turn outside of which only people are shown the message.
	Direct string `json:"direct,omitempty"`
	// Path is who said it, where the name does not tell.
	Path string `json:"path,omitempty"`
	// Fans are the turns of participants of fans in which it was said, the outermost first.
	Fans []fanMark `json:"fans,omitempty"`
}

// markOf reads the mark of m; metadata that are not ours have none.
func markOf(m Message) mark {
	raw, ok := m.Metadata[turnMeta]
	if !ok {
		return mark{} // as most messages are: all of a conversation are looked at
	}
	return readMark(raw)
}

func readMark(raw json.RawMessage) (k mark) {
	if json.Unmarshal(raw, &k) != nil {
		return mark{}
	}
	return k
}

func (t *Turn) marked() agui.Metadata { return t.markedAs(t.name(), t.identity(), t.fanMarks()) }

// markedAs is the metadata of what t says under a name for the one at path.
func (t *Turn) markedAs(name, path string, fans []fanMark) agui.Metadata {
	k := mark{Direct: t.direct, Fans: fans}
	if known, ok := t.x.names[name]; ok && known != path || !ok && t.speakerTurn().participant != nil {
		k.Path = path
	}
	if k.Direct == "" && k.Path == "" && k.Fans == nil {
		return nil
	}
	raw, err := json.Marshal(k)
	if err != nil {
		return nil // strings
	}
	return agui.Metadata{turnMeta: raw}
}

// identity is the path of whom t speaks for: the same whichever time it is invoked, and the participant's where another
// turn is its proxy.
func (t *Turn) identity() string { return plainPath(t.speakerTurn().path) }

// plainPath joins the names of a path, without the number of an invocation.
func plainPath(path []string) string {
	plain := make([]string, len(path))
	for i, name := range path {
		plain[i], _, _ = strings.Cut(name, "@")
	}
	return strings.Join(plain, ".")
}

// speaker is the path of the speaker of m; empty if it is unknown.
func (x *execution) speaker(m Message) string {
	if k := markOf(m); k.Path != "" {
		return k.Path
	}
	return x.names[m.Name]
}

// nameOf is the name under which other agents are sent what an agent said in m. The root speaks without a name.
func (x *execution) nameOf(m Message) string {
	return cmp.Or(m.Name, x.Input.Agent, string(agui.RoleAssistant))
}

// isOwn reports whether t, or an earlier turn of the same agent, said m.
func (t *Turn) isOwn(m Message) bool { return t.x.said(m, t.name(), t.identity()) }

// said reports whether m is under the name, and no other speaker than the one at path is known.
func (x *execution) said(m Message, name, path string) bool {
	if m.Name != name {
		return false
	}
	by := x.speaker(m)
	return by == "" || by == path
}

// joinPath joins paths. The root's is empty and adds nothing.
func joinPath(parts ...string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(parts), func(p string) bool { return p == "" }), ".")
}

// namesOf are the paths of a tree by the name that ends them; empty where several have the name.
func namesOf(s signature) map[string]string {
	names := make(map[string]string, len(s))
	for _, path := range s {
		name := path[strings.LastIndexByte(path, '.')+1:]
		if _, twice := names[name]; twice {
			path = ""
		}
		names[name] = path
	}
	return names
}

// A Principal is the sender of a request: a person, or a program. It formats as its id, also in logs.
type Principal struct {
	// ID is a part of the key of the principal's threads, so it has to stay the same for as long as they are kept. Ids
	// are compared byte by byte. An id has 1 to 512 bytes of UTF-8 without control characters; ".webhook" is reserved.
	// It is written to the server log.
	ID string
	// Roles are what the principal may be, in any order: at most 64, each of 1 to 256 bytes of UTF-8 without control
	// characters.
	Roles []string
	// Claims are what else is known of the principal, for agents and tools: at most 8 KiB as JSON. Agents see them as
	// encoding/json decodes them, so a number is a float64, and a time is a text. They are stored with the run, and
	// never logged or sent to a client.
	Claims map[string]any
}

// Has reports whether the principal has a role.
func (p Principal) Has(role string) bool { return slices.Contains(p.Roles, role) }

// String returns the id.
func (p Principal) String() string { return p.ID }

// GoString returns the id, so that %#v shows no claims either.
func (p Principal) GoString() string { return p.ID }

// LogValue returns the id.
func (p Principal) LogValue() slog.Value { return slog.StringValue(p.ID) }

// subAgentMeta begins the members of a result's metadata that describe the branch of a specialist.
const subAgentMeta = "subAgent"

// isReserved reports whether a member of the metadata of messages, calls and results is the gateway's own: decisions of
// people, branches of specialists, failures, and places in a team.
func isReserved(name string) bool {
	return name == approval.Meta || name == failedMeta || strings.HasPrefix(name, subAgentMeta) ||
		strings.HasPrefix(name, turnMeta)
}

// DropReserved removes from messages of a client or of another server the members of metadata that only the gateway
// writes.
func DropReserved(messages []Message) {
	for i := range messages {
		m := &messages[i]
		m.Metadata = withoutReserved(m.Metadata)
		for j := range m.ToolCalls {
			m.ToolCalls[j].Metadata = withoutReserved(m.ToolCalls[j].Metadata)
		}
	}
}

// withoutReserved returns m without the members that only the gateway writes; nil if nothing else is left.
func withoutReserved(m agui.Metadata) agui.Metadata {
	kept := maps.Clone(m)
	maps.DeleteFunc(kept, func(name string, _ json.RawMessage) bool { return isReserved(name) })
	switch len(kept) {
	case len(m):
		return m
	case 0:
		return nil
	default:
		return kept
	}
}
