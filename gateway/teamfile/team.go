package teamfile

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/gateway"
	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/mcp"
	"github.com/agui-gateway/gateway/model"
	"github.com/agui-gateway/gateway/model/openai"
)

// A Team is what a team file says: the agents to serve, and what each has its own way.
type Team struct {
	// Agents are those to serve. Options has the same keys.
	Agents  map[string]groupchat.Agent
	Options map[string]gateway.AgentOptions
	// Unserved are the file's other agents: those that only take part in others or are their tools, and those that say `serve: off`.
	Unserved map[string]groupchat.Agent
	// Warnings are of what is allowed and hardly meant, in the file's order. They hold no values of the environment.
	Warnings []Problem

	closers []io.Closer
}

// Close ends what the agents have started: programs and connections of MCP servers. The agents must not be used any more.
func (t *Team) Close() error {
	var errs []error
	for _, c := range t.closers {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

// Options are what a team file may refer to. The zero value is good.
type Options struct {
	// Env looks up a variable of the environment; nil means os.LookupEnv.
	Env func(name string) (string, bool)
	// Types are further types of agents, by the name a file calls them. The program gateway has one, travel, which makes the demo
	// team with travel.New.
	Types map[string]AgentType
	// Model is the model called default, if it has a BaseURL or a Key and the file does not describe one itself. Its Timeout
	// and HTTP are those of the file's models as well.
	Model openai.Options
	// Log gets what models and MCP servers have to tell; nil means slog.Default.
	Log *slog.Logger
	// ToolTimeout is how long a call of a tool may take where the file does not say; 0 means 1 minute.
	ToolTimeout time.Duration
}

// An AgentType makes an agent of a type that has no settings of its own but the model it may speak through: the one that
// the file names for it, else the default one; nil if there is none, or the file says off.
type AgentType func(model model.Model) groupchat.Agent

// Load reads a team file, which docs/teams.md describes. What is wrong with the file itself is a
// [*Error] that names every mistake; a file that cannot be read is the error of os.ReadFile.
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
	return &builder{
		reader:      reader{file: name, env: o.Env},
		types:       o.Types,
		standard:    o.Model,
		log:         o.Log,
		toolTimeout: o.ToolTimeout,
		entries:     map[string]*entry{},
		team: Team{
			Agents: map[string]groupchat.Agent{}, Options: map[string]gateway.AgentOptions{}, Unserved: map[string]groupchat.Agent{},
		},
	}
}

// A builder makes agents of what a file says.
type builder struct {
	reader
	types       map[string]AgentType
	standard    openai.Options // the default model of the settings
	toolTimeout time.Duration
	models      map[string]model.Model
	broken      map[string]bool // models with a mistake, which is noted
	log         *slog.Logger
	servers     map[string]*mcp.Server // nil with a mistake, which is noted
	entries     map[string]*entry
	colleagues  map[string]*member // in the team that is being read
	current     *entry             // which is being read
	reading     []string           // the names of what is being read, the innermost last
	uses        []use
	team        Team
}

// An entry is an agent of the file. It is built when it is first needed, be it by another that names it.
type entry struct {
	name      string
	key, node *node
	begun     bool
	done      bool
	serve     *bool   // what the file says; nil leaves it to whether others name it
	own       []*node // the keys that only mean something where it is served
	limited   bool    // it lists what callers may write
}

func (b *builder) build(root *node) {
	f := b.fields(root, "a team file")
	if n := f.need("version", "begin with `version: 1`"); n != nil && b.text(n) != "1" {
		b.bad(n, "only version 1 of team files is known here; write `version: 1`")
		return // another version has other rules
	}
	b.buildModels(f.take("models"))
	b.buildServers(f.take("mcp"))
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
}

// validate asks the agents themselves, for what can only be seen of the whole.
func (b *builder) validate(order []*entry) {
	for _, e := range order {
		v, ok := b.team.Agents[e.name].(interface{ Validate() error })
		if !ok {
			continue
		}
		if err := v.Validate(); err != nil {
			b.bad(e.key, "agent %q cannot work: %s", e.name, strings.ReplaceAll(err.Error(), "\n", "; "))
		}
	}
}

// enter builds e unless it is built.
func (b *builder) enter(e *entry) {
	if e.begun {
		return
	}
	e.begun = true
	around, outer := b.colleagues, b.current
	b.colleagues, b.current, b.reading = nil, e, append(b.reading, e.name)
	defer func() { b.colleagues, b.current, b.reading = around, outer, b.reading[:len(b.reading)-1] }()
	f := b.fields(e.node, fmt.Sprintf("agent %q", e.name))
	f.kind = "agent agent"
	e.own = f.keysOf("edits", "disconnect", "on_busy", "interrupt_ttl", "interrupt_dialect", "run_timeout", "subagent_events")
	options := gateway.AgentOptions{
		Description:    b.text(f.take("description")),
		Edits:          b.oneOf(f.take("edits"), "append", "cut") == "cut",
		Disconnect:     gateway.Disconnect(b.oneOf(f.take("disconnect"), string(gateway.Cancel), string(gateway.Detach))),
		OnBusy:         gateway.OnBusy(b.oneOf(f.take("on_busy"), string(gateway.Reject), string(gateway.Queue), string(gateway.Supersede))),
		InterruptTTL:   b.duration(f.take("interrupt_ttl")),
		RunTimeout:     b.duration(f.take("run_timeout")),
		SubagentEvents: b.subagentEvents(f.take("subagent_events")),

		LegacyInterrupts: b.oneOf(f.take("interrupt_dialect"), "standard", "legacy") == "legacy",
	}
	e.serve = b.flag(f.take("serve"))
	n := f.need("type", "write `type:` and one of "+choices(b.typeNames()))
	if agent := b.agentOf(n, f, options.Description, nil); agent != nil {
		b.team.Agents[e.name], b.team.Options[e.name] = agent, options
	}
	e.done = true
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
	names := []string{"agui", "concurrent", "groupchat", "llm", "script"}
	for name := range b.types {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// agentOf builds the agent that f describes, whose type is n. Nil means that it could not, and said why.
// Scope is that of a participant; nil means a thread's own agent.
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
	var agent groupchat.Agent
	switch name {
	case "agui":
		agent = b.remote(f, description)
	case "concurrent":
		agent = b.fan(f, description)
	case "groupchat":
		agent = b.chat(f, description, scope)
	case "llm":
		agent = b.llm(f, description)
	case "script":
		agent = b.script(f, description)
	default:
		agent = b.types[name](b.optionalModel(f.take("model")))
	}
	f.end()
	if len(b.problems) > before {
		return nil
	}
	return agent
}
