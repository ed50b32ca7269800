package teamfile

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/groupchat/budget"
	"github.com/agui-gateway/gateway/mcp"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/model/openai"
)

// A Team has the agents of a team file, and the options of those that are served.
type Team struct {
	// Agents are the agents to serve. Options has the same keys.
	Agents  map[string]groupchat.Agent
	Options map[string]gateway.AgentOptions
	// Unserved are the other agents of the file: participants or tools of others, and those with `serve: off`.
	Unserved map[string]groupchat.Agent
	// Warnings name valid text that is probably a mistake, in the file's order. They quote no values of the
	// environment.
	Warnings []Problem
	// Parts are the models, servers and remote agents of the file, used or not.
	Parts Parts

	closers []io.Closer
}

// Close ends the programs and connections of MCP servers that the agents have started. The agents must not be used
// afterwards.
func (t *Team) Close() error {
	var errs []error
	for _, c := range t.closers {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

// Options hold the parts of a program that a team file may refer to. The zero value is valid.
type Options struct {
	// Env looks up a variable of the environment; nil means os.LookupEnv.
	Env func(name string) (string, bool)
	// Types are further types of agents, by their names in team files. The program gateway has one, travel, which calls
	// travel.New.
	Types map[string]AgentType
	// Providers are further types of models, by their names in team files. They have precedence over those of
	// [model.Register].
	Providers map[string]model.Provider
	// Tools are functions of the program that agents of the file may call, by their names in team files: `tools: [ {
	// tool: NAME } ]`. Models get them under the same names, unless an entry has another; the Name of a tool is not
	// used.
	Tools map[string]groupchat.Tool
	// MCP, if set, is called with the options of each MCP server of the file, which it may change, for example its
	// Header.
	MCP func(o *mcp.Options)
	// Hooks are hooks in Go, by their names in `hooks: [ … ]` of team files.
	Hooks map[string]groupchat.Hooks
	// Model is the model called default, if it has a BaseURL or a Key and the file does not describe one itself. The
	// file's own models have its Timeout and HTTP too.
	Model openai.Options
	// HTTP makes the requests to remote agents, to MCP servers, and to models if Model.HTTP is nil. Nil means separate
	// clients, which connect to no link-local address and none of a cloud's metadata.
	HTTP *http.Client
	// AllowAddresses are the non-public networks that URLs of files in results of remote agents may lead to. Nil means
	// none.
	AllowAddresses []netip.Prefix
	// Log gets the records of models and MCP servers; nil means slog.Default.
	Log *slog.Logger
	// ToolTimeout limits a call of a tool if the file has no limit; 0 means 1 minute.
	ToolTimeout time.Duration
	// Budgets keeps the tokens that principals have used. A program that reads a file again passes the same ledger. Nil
	// means one for the lifetime of the team.
	Budgets *budget.Ledger
	// Substitutes replace models, MCP servers and remote agents, in tests of teams.
	Substitutes Substitutes
}

// An AgentType makes an agent of a type with one key, model. The argument is the model that the file names, else the
// default one; it is nil if there is none or the file has off.
type AgentType func(model model.Model) groupchat.Agent

// Load reads a team file. docs/teams is the manual of the format. If the file has mistakes, the error is an [*Error]
// that names each of them; if it cannot be read, the error wraps that of os.ReadFile.
func Load(path string, o Options) (*Team, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("teamfile: %w", err)
	}
	return parse(path, data, o)
}

// parse is Load for a file with this name and data.
func parse(name string, data []byte, o Options) (*Team, error) {
	b := newBuilder(name, o)
	if root := b.parseYAML(data); root != nil && b.nodes <= maxNodes {
		b.build(root)
	}
	if err := b.err(); err != nil {
		return nil, errors.Join(err, b.team.Close())
	}
	b.team.Warnings = inOrder(b.warnings)
	b.team.Parts.inOrderOfNames()
	return &b.team, nil
}

func newBuilder(name string, o Options) *builder {
	if o.Env == nil {
		o.Env = os.LookupEnv
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	o.Model.Log = o.Log
	if o.Model.HTTP == nil {
		o.Model.HTTP = o.HTTP
	}
	o.Providers = providersOf(o)
	return &builder{
		reader:  reader{file: name, env: o.Env},
		o:       o,
		entries: map[string]*entry{},
		team: Team{
			Agents:   map[string]groupchat.Agent{},
			Options:  map[string]gateway.AgentOptions{},
			Unserved: map[string]groupchat.Agent{},
		},
	}
}

// A builder makes the agents that a file describes.
type builder struct {
	reader
	o            Options // with defaults, and all providers
	models       map[string]model.Model
	brokenModels map[string]bool // the models with a mistake, which is noted
	modelLists   map[string]*modelList
	requests     *http.Client           // of HTTP tools, if there are any and the options have no client
	servers      map[string]*mcp.Server // nil for one with a mistake, which is noted
	entries      map[string]*entry
	members      map[string]*member // the participants of the team that is being read
	current      *entry             // the agent that is being read
	ofSubgraphs  *entry             // the agent that POST /subgraphs speaks to; nil without subgraphs: on
	stepDepth    int                // of the steps that are being read, in other steps
	// supervisorHere is the name of the manager of the participants that are being read. None of them may have it.
	supervisorHere string
	when           *selection // of the agent of type concurrent that is being read; nil in a groupchat
	reading        []string   // the names of the agents that are being read, the innermost last
	uses           []use
	mentions       []mention
	shares         []*share
	readings       []reading
	written        *written // the writes to the state of the part that is being read
	reduced        []string // pointers that have reducers, of any team
	team           Team

	// requiredServers are the servers with required: on. Turns without their tools fail.
	requiredServers []string
}

// An entry is an agent of the file. It is built when it is first needed, which may be by another agent that names it.
type entry struct {
	name          string
	key, node     *Value
	begun         bool
	done          bool
	serve         *bool    // the value of serve; nil if the file has none
	servedKeys    []*Value // its keys that have an effect only if it is served
	limitsClients bool     // it lists the pointers that callers may write
	participants  []string // the names in its teams
	written       written
	contract      *contract
}

func (b *builder) build(root *Value) {
	f := root.Fields("a team file", "")
	if n := f.Need("version", "begin with `version: 1`"); n != nil && n.Text() != "1" {
		n.Bad("only version 1 of team files is known here; write `version: 1`")
		return // another version has other rules
	}
	b.buildModels(f.Take("models"))
	b.buildServers(f.Take("mcp"))
	everywhere := b.hooks(f)
	partsWork := len(b.problems) == 0
	agents := f.Need("agents", "name at least one under `agents:`")
	f.End()
	if agents == nil {
		return
	}
	keys, nodes := agents.Pairs("agents")
	if len(keys) == 0 {
		agents.Bad("there are no agents; name at least one, such as `travel: { type: travel }`")
	}
	order := make([]*entry, len(keys))
	for i, key := range keys {
		if !gateway.ValidAgentName(key.text) {
			key.Bad("agent %q: a name is letters, digits, - and _; rename it", key.text)
		}
		order[i] = &entry{name: key.text, key: key, node: nodes[i]}
		b.entries[key.text] = order[i]
	}
	for _, e := range order {
		b.enter(e)
	}
	b.checkUses()
	b.checkMentions()
	b.checkShares()
	b.shareReducers(order)
	b.warnOfReadings()
	b.decideServed(order)
	if partsWork {
		b.validate(order)
	}
	for _, e := range order {
		if agent := b.team.Agents[e.name]; agent != nil && !b.isServed(e) {
			b.team.Unserved[e.name] = agent
			delete(b.team.Agents, e.name)
			delete(b.team.Options, e.name)
		}
	}
	if len(everywhere) > 0 {
		for name, agent := range b.team.Agents {
			b.team.Agents[name] = groupchat.WithHooks(agent, everywhere...)
		}
	}
}

// validate calls the Validate methods of the agents, which find mistakes without a place in the file. Agents with a
// mistake in their description, and those that name such agents, are left out.
func (b *builder) validate(order []*entry) {
	for _, e := range order {
		if !b.isComplete(e, nil) {
			continue
		}
		v, ok := groupchat.As[interface{ Validate() error }](b.team.Agents[e.name])
		if !ok {
			continue
		}
		if err := v.Validate(); err != nil {
			e.key.Bad("agent %q cannot work: %s", e.name, strings.ReplaceAll(err.Error(), "\n", "; "))
		}
	}
}

// isComplete reports whether e and all agents that it names were built. Above are the agents on the way to e.
func (b *builder) isComplete(e *entry, above []*entry) bool {
	if b.team.Agents[e.name] == nil || slices.Contains(above, e) {
		return false
	}
	return !slices.ContainsFunc(b.uses, func(u use) bool {
		return u.by == e && !b.isComplete(u.of, append(slices.Clip(above), e))
	})
}

// enter builds e unless it has been built, or is being built.
func (b *builder) enter(e *entry) {
	if e.begun {
		return
	}
	e.begun = true
	around, outer, state := b.members, b.current, b.written
	b.members, b.current, b.written, b.reading = nil, e, &e.written, append(b.reading, e.name)
	defer func() {
		b.members, b.current, b.written, b.reading = around, outer, state, b.reading[:len(b.reading)-1]
	}()
	f := e.node.Fields(fmt.Sprintf("agent %q", e.name), "agent agent")
	e.servedKeys = f.keysOf(servedKeys...)
	options := gateway.AgentOptions{
		Description:    f.Take("description").Text(),
		Allow:          roles(f.Take("allow")),
		Edits:          f.Take("edits").OneOf("append", "cut") == "cut",
		Disconnect:     oneOf(f.Take("disconnect"), gateway.Cancel, gateway.Detach),
		OnBusy:         oneOf(f.Take("on_busy"), gateway.Reject, gateway.Queue, gateway.Supersede),
		InterruptTTL:   f.Take("interrupt_ttl").duration(),
		RunTimeout:     f.Take("run_timeout").duration(),
		SubagentEvents: subagentEvents(f.Take("subagent_events")),

		LegacyInterrupts: f.Take("interrupt_dialect").OneOf("standard", "legacy") == "legacy",
		TypedAnswers:     b.typedAnswers(f.Take("typed_answers")),
		Attachments:      attachments(f.Take("attachments")),
	}
	options.Subgraphs = b.subgraphs(f.Take("subgraphs"), e)
	suggester := b.suggestions(f.Take("suggestions"))
	e.serve = f.Take("serve").flag()
	limits := b.budget(f.Take("budget"), e)
	options.MaxTurns = limits.turns
	e.contract = readContract(f.Take("contract"))
	n := f.Need("type", "write `type:` and one of "+choices(b.typeNames()))
	if agent := b.agentOf(n, f, options.Description, nil); agent != nil {
		b.team.Agents[e.name] = suggesting(limits.apply(e.contract.apply(agent)), suggester)
		b.team.Options[e.name] = options
	}
	e.done = true
}

func (b *builder) typeNames() []string {
	names := []string{"a2a", "agui", "concurrent", "groupchat", "langgraph", "llm", "script"}
	for name := range b.o.Types {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// agentOf builds the agent that f describes, of type n. It returns nil after a mistake, which is noted. Scope is the
// scope of a participant; it is nil for an agent of the file's agents section.
func (b *builder) agentOf(n *Value, f *Fields, description string, scope *groupchat.Scoping) groupchat.Agent {
	if n == nil {
		f.reportMistyped()
		return nil
	}
	if n.text == "travel" && b.o.Types[n.text] == nil {
		n.Bad("the type travel belongs to the program gateway; another one puts it into teamfile.Options.Types, " +
			"with travel.New")
		return nil
	}
	name := n.OneOf(b.typeNames()...)
	if name == "" {
		f.reportMistyped()
		return nil
	}
	f.what += " of type " + name
	f.kind = strings.TrimSuffix(f.kind, "agent") + name
	before := len(b.problems)
	hooks := b.hooks(f)
	var agent groupchat.Agent
	switch name {
	case "a2a":
		agent = b.remoteA2A(f, description)
	case "agui":
		agent = b.remote(f, description)
	case "langgraph":
		agent = b.remoteLangGraph(f, description)
	case "concurrent":
		agent = b.fan(f, description)
	case "groupchat":
		agent = b.chat(f, description, scope)
	case "llm":
		agent = b.llm(f, description)
	case "script":
		agent = b.script(f, description)
	default:
		b.written.unknown = true
		agent = b.o.Types[name](b.optionalModel(f.Take("model")))
	}
	f.End()
	if len(b.problems) > before {
		return nil
	}
	if len(hooks) > 0 && agent != nil {
		return groupchat.WithHooks(agent, hooks...)
	}
	return agent
}
