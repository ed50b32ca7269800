package translate

import (
	"context"
	"encoding/json"
	"net/netip"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/agui/run"
)

// Options describe the turn that asks the remote agent.
type Options struct {
	// Metadata returns the metadata of the turn's messages, and Public metadata without the members that only the
	// gateway writes.
	Metadata func() agui.Metadata
	Public   func(agui.Metadata) agui.Metadata
	// AddInvocation makes the messages of an invocation part of the turn, Use counts usage, and Note records an
	// omission or a repair.
	AddInvocation func(id string)
	Use           func([]agui.TokenUsage) error
	Note          func(agui.Warning)
	// Reported returns the error for the failure that the remote agent has reported.
	Reported func() error
	// Run is where agents behind the remote one are announced, Out what the turn writes with.
	Run *run.Run
	Out run.Writer
	// State is the state that the remote agent has.
	State *State
	// Prefix begins the ids of the remote agent here; Name and Path are those of the turn.
	Prefix, Name string
	Path         []string
	// Legacy says that CUSTOM on_interrupt is a question.
	Legacy bool
	// AllowAddresses are the non-public networks that URLs of files may lead to.
	AllowAddresses []netip.Prefix
}

// A Translator translates the events of one run of a remote agent. Its maps have the ids of the remote agent.
type Translator struct {
	Options
	ctx context.Context

	// Finished and Failed are the end of the run, LegacyAsks its questions in the legacy dialect.
	Finished   *agui.RunFinished
	Failed     *agui.RunError
	LegacyAsks []LegacyAsk
	// Known has the ids of messages that the remote agent knows already.
	Known map[string]bool
	// Calls are the known calls, CallOrder those of this run, in order.
	Calls     map[string]*Item
	CallOrder []string
	// Subagents are the agents behind the remote one, Order those of them that were announced, in order.
	Subagents map[string]*Subagent
	Order     []string

	size    int             // of the events
	usedIDs map[string]bool // ids of ours
	// saidEarlier has the messages of the remote in earlier runs of the turn, and repeatable those that a snapshot may
	// still repeat.
	saidEarlier, repeatable map[string]string

	texts, reasoning, activities map[string]*Item
	parents                      map[string]*Item // of calls, that say nothing themselves
	results                      map[string]bool
	steps                        []agui.StepStarted // open, as we sent them
}

// New returns the translator of a run.
func New(ctx context.Context, o Options) *Translator {
	return &Translator{
		Options: o, ctx: ctx, Known: map[string]bool{}, Calls: map[string]*Item{}, Subagents: map[string]*Subagent{},
		usedIDs: map[string]bool{}, saidEarlier: map[string]string{}, texts: map[string]*Item{},
		reasoning: map[string]*Item{}, activities: map[string]*Item{}, parents: map[string]*Item{},
		results: map[string]bool{},
	}
}

// An Item is a text, reasoning, a call or an activity of the remote agent.
type Item struct {
	Ours, tag string
	Name      string          // of a call
	Text      strings.Builder // the text, or a call's arguments
	content   json.RawMessage // of an activity, as the remote agent has it
	open      bool
	ignored   bool // it repeats the message of somebody else
	Earlier   bool // a call of another exchange
	Answered  bool // a call
}

// id returns our id of the item, "" for none.
func (i *Item) id() string {
	if i == nil {
		return ""
	}
	return i.Ours
}

// A LegacyAsk is a question in the legacy dialect.
type LegacyAsk struct {
	Value []byte
	Tag   string // the remote's
}
