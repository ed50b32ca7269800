package teamfile

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
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
	// Unserved are the other agents of the file: those that are only participants or tools of others, and those with `serve: off`.
	Unserved map[string]groupchat.Agent
	// Warnings name text that is valid and probably not meant so, in the file's order. They quote no values of the environment.
	Warnings []Problem
	// Parts are what the file's agents have on other servers, used or not.
	Parts Parts

	closers []io.Closer
}

// Close ends the programs and connections of MCP servers that the agents have started. The agents must not be used after it.
func (t *Team) Close() error {
	var errs []error
	for _, c := range t.closers {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

// Options hold what a team file may refer to. The zero value is valid.
type Options struct {
	// Env looks up a variable of the environment; nil means os.LookupEnv.
	Env func(name string) (string, bool)
	// Types are further types of agents, by their names in team files. The program gateway has one, travel, which calls
	// travel.New.
	Types map[string]AgentType
	// Providers are further types of models, by their names in team files, besides those of [model.Register]. Where both have a
	// name, this one counts.
	Providers map[string]model.Provider
	// Tools are functions of the program that agents of the file may call, by their names in team files: `tools: [ { tool: NAME } ]`. The
	// names that models know them by are the same, unless an entry says otherwise; their own are not looked at.
	Tools map[string]groupchat.Tool
	// MCP, if set, is called with the options of each MCP server of the file, which it may change: to give it a Header, for example.
	MCP func(o *mcp.Options)
	// Hooks are hooks that are written in Go, by the names under which files have them in `hooks: [ … ]`.
	Hooks map[string]groupchat.Hooks
	// Model is the model called default, if it has a BaseURL or a Key and the file does not describe one itself. The file's own
	// models have its Timeout and HTTP too.
	Model openai.Options
	// HTTP makes the requests to remote agents, to MCP servers, and to models if Model.HTTP is nil. Nil means clients of their own,
	// which connect to no link-local address and none of a cloud's metadata.
	HTTP *http.Client
	// Log gets the records of models and MCP servers; nil means slog.Default.
	Log *slog.Logger
	// ToolTimeout is how long a call of a tool may take if the file does not say; 0 means 1 minute.
	ToolTimeout time.Duration
	// Budgets keeps what principals have used under the budgets of agents. A program that reads a file again gives the same one. Nil
	// forgets it with the team.
	Budgets *budget.Ledger
	// Substitutes stand in for models, MCP servers and remote agents, in tests of teams.
	Substitutes Substitutes
}

// An AgentType makes an agent of a type whose only key is model. The argument is the model that the file names, else the default
// one; it is nil if there is none or the file says off.
type AgentType func(model model.Model) groupchat.Agent

// Load reads a team file, whose format docs/teams.md describes. If the file has mistakes, the error is an [*Error] that names
// each of them; if it cannot be read, the error wraps that of os.ReadFile.
func Load(path string, o Options) (*Team, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("teamfile: %w", err)
	}
	return parse(path, data, o)
}

// parse is Load for a file that is called name and holds data.
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
	return &builder{
		reader:       reader{file: name, env: o.Env},
		types:        o.Types,
		namedHooks:   o.Hooks,
		providers:    providersOf(o),
		serverHook:   o.MCP,
		programTools: o.Tools,
		modelOptions: o.Model,
		http:         o.HTTP,
		log:          o.Log,
		toolTimeout:  o.ToolTimeout,
		budgets:      o.Budgets,
		substitutes:  o.Substitutes,
		entries:      map[string]*entry{},
		team: Team{
			Agents: map[string]groupchat.Agent{}, Options: map[string]gateway.AgentOptions{}, Unserved: map[string]groupchat.Agent{},
		},
	}
}

// A builder makes the agents that a file describes.
type builder struct {
	reader
	types        map[string]AgentType
	namedHooks   map[string]groupchat.Hooks
	modelOptions openai.Options // the default model of the settings
	toolTimeout  time.Duration
	budgets      *budget.Ledger
	substitutes  Substitutes
	models       map[string]model.Model
	brokenModels map[string]bool // the models with a mistake, which is noted
	modelLists   map[string]*modelList
	providers    map[string]model.Provider
	http         *http.Client // nil: everybody has one of his own
	requests     *http.Client // of tools that are requests, if http is nil and there are any
	log          *slog.Logger
	servers      map[string]*mcp.Server // nil for one with a mistake, which is noted
	entries      map[string]*entry
	members      map[string]*member // the participants of the team that is being read
	current      *entry             // the agent that is being read
	ofSubgraphs  *entry             // the agent that POST /subgraphs speaks to; nil without subgraphs: on
	stepDepth    int                // of the steps that are being read, in other steps
	// supervisorHere is the name of the manager whose participants are being read, which none of them may have.
	supervisorHere string
	when           *selection // of the agent of type concurrent whose participants are being read; nil in a groupchat
	reading        []string   // the names of the agents that are being read, the innermost last
	uses           []use
	mentions       []mention
	shares         []*share
	looks          []look
	written        *written // who writes to the state of what is being read
	reduced        []string // pointers that have reducers, of any team
	programTools   map[string]groupchat.Tool
	team           Team

	serverHook func(*mcp.Options)
	// requiredServers are those without whose tools turns are to fail.
	requiredServers []string
}

// An entry is an agent of the file. It is built when it is first needed, which may be by another agent that names it.
type entry struct {
	name          string
	key, node     *node
	begun         bool
	done          bool
	serve         *bool   // the value of serve; nil if the file has none
	servedKeys    []*node // its keys that mean something only if it is served
	limitsClients bool    // it lists the pointers that callers may write
	written       written
	contract      *contract
}

func (b *builder) build(root *node) {
	f := b.fields(root, "a team file")
	if n := f.need("version", "begin with `version: 1`"); n != nil && b.text(n) != "1" {
		b.bad(n, "only version 1 of team files is known here; write `version: 1`")
		return // another version has other rules
	}
	b.buildModels(f.take("models"))
	b.buildServers(f.take("mcp"))
	everywhere := b.hooks(f)
	agents := f.need("agents", "name at least one under `agents:`")
	f.end()
	if agents == nil {
		return
	}
	keys, nodes := b.pairs(agents, "agents")
	if agents.kind == mappingNode && len(keys) == 0 {
		b.bad(agents, "there are no agents; name at least one, such as `travel: { type: travel }`")
	}
	order := make([]*entry, len(keys))
	for i, key := range keys {
		if !gateway.ValidAgentName(key.text) {
			b.bad(key, "agent %q: a name is letters, digits, - and _; rename it", key.text)
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
	b.warnOfLooks()
	b.decideServed(order)
	if len(b.problems) == 0 {
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

// validate calls the Validate methods of the agents, which find mistakes that are not in one place of the file.
func (b *builder) validate(order []*entry) {
	for _, e := range order {
		v, ok := groupchat.As[interface{ Validate() error }](b.team.Agents[e.name])
		if !ok {
			continue
		}
		if err := v.Validate(); err != nil {
			b.bad(e.key, "agent %q cannot work: %s", e.name, strings.ReplaceAll(err.Error(), "\n", "; "))
		}
	}
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
	f := b.fields(e.node, fmt.Sprintf("agent %q", e.name))
	f.kind = "agent agent"
	e.servedKeys = f.keysOf("allow", "edits", "disconnect", "on_busy", "interrupt_ttl", "interrupt_dialect", "run_timeout", "subagent_events", "typed_answers", "attachments", "suggestions", "subgraphs")
	options := gateway.AgentOptions{
		Description:    b.text(f.take("description")),
		Allow:          b.roles(f.take("allow")),
		Edits:          b.oneOf(f.take("edits"), "append", "cut") == "cut",
		Disconnect:     gateway.Disconnect(b.oneOf(f.take("disconnect"), string(gateway.Cancel), string(gateway.Detach))),
		OnBusy:         gateway.OnBusy(b.oneOf(f.take("on_busy"), string(gateway.Reject), string(gateway.Queue), string(gateway.Supersede))),
		InterruptTTL:   b.duration(f.take("interrupt_ttl")),
		RunTimeout:     b.duration(f.take("run_timeout")),
		SubagentEvents: b.subagentEvents(f.take("subagent_events")),

		LegacyInterrupts: b.oneOf(f.take("interrupt_dialect"), "standard", "legacy") == "legacy",
		TypedAnswers:     b.typedAnswers(f.take("typed_answers")),
		Attachments:      b.attachments(f.take("attachments")),
	}
	options.Subgraphs = b.subgraphs(f.take("subgraphs"), e)
	suggester := b.suggestions(f.take("suggestions"))
	e.serve = b.flag(f.take("serve"))
	budget := b.budget(f.take("budget"), e)
	options.MaxTurns = budget.turns
	e.contract = b.contract(f.take("contract"))
	n := f.need("type", "write `type:` and one of "+choices(b.typeNames()))
	if agent := b.agentOf(n, f, options.Description, nil); agent != nil {
		b.team.Agents[e.name] = suggesting(budgeted(e.contract.under(agent), budget), suggester)
		b.team.Options[e.name] = options
	}
	e.done = true
}

// subgraphs reads whether POST /subgraphs speaks to e. One agent may be it.
func (b *builder) subgraphs(n *node, e *entry) bool {
	if on := b.flag(n); on == nil || !*on {
		return false
	}
	if b.ofSubgraphs != nil {
		b.bad(n, "POST /subgraphs speaks to one agent, and %q is it already; remove one of the two", b.ofSubgraphs.name)
	}
	b.ofSubgraphs = e
	return true
}

// roles reads who may use an agent; nil lets everybody in. An empty list would, too, and looks as if it let nobody in.
func (b *builder) roles(n *node) []string {
	if n == nil {
		return nil
	}
	var roles []string
	for _, item := range b.list(n, "allow") {
		role := b.text(item)
		if item.kind == scalarNode && !gateway.ValidRole(role) {
			b.bad(item, "a role is a text of 1 to 256 bytes without control characters; rename it")
		}
		roles = append(roles, role)
	}
	if n.kind == listNode && len(roles) == 0 {
		b.bad(n, "allow names no role; name one, remove the key, or write `serve: off` to keep everybody out")
	}
	return roles
}

func (b *builder) subagentEvents(n *node) gateway.SubagentEvents {
	switch b.oneOf(n, "auto", "on", "off", "true", "false", "yes", "no") {
	case "auto":
		return gateway.SubagentsAuto
	case "on", "true", "yes":
		return gateway.SubagentsOn
	case "off", "false", "no":
		return gateway.SubagentsOff
	default:
		return ""
	}
}

func (b *builder) typeNames() []string {
	names := []string{"a2a", "agui", "concurrent", "groupchat", "langgraph", "llm", "script"}
	for name := range b.types {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// agentOf builds the agent that f describes, of type n. Nil means that there is a mistake, which is noted. Scope is that of a
// participant; it is nil for an agent of the file's agents section.
func (b *builder) agentOf(n *node, f *fields, description string, scope *groupchat.Scoping) groupchat.Agent {
	if n == nil {
		return nil
	}
	if n.text == "travel" && b.types[n.text] == nil {
		b.bad(n, "the type travel belongs to the program gateway; another one puts it into teamfile.Options.Types, with travel.New")
		return nil
	}
	name := b.oneOf(n, b.typeNames()...)
	if name == "" {
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
		agent = b.types[name](b.optionalModel(f.take("model")))
	}
	f.end()
	if len(b.problems) > before {
		return nil
	}
	if len(hooks) > 0 && agent != nil {
		return groupchat.WithHooks(agent, hooks...)
	}
	return agent
}
