// Package profile describes agents: who they are, what they can do, and what a team of them is made of.
package profile

import "slices"

// Info describes an agent or a participant to people, and to models that choose between them.
type Info struct {
	Name        string
	Description string
	// Interrupts says whether the agent may ask people questions.
	Interrupts bool
	Abilities
	Participants []Info
	Structure
}

// Includes reports whether somebody in i's team, at any depth, has the name.
func (i Info) Includes(name string) bool {
	return slices.ContainsFunc(i.Participants, func(p Info) bool { return p.Name == name || p.Includes(name) })
}

// A Structure is what an agent is made of, as far as that is known, for people who look at a team.
type Structure struct {
	Kind Kind
	// Manager says how a chat chooses who speaks: rules, route, handoff, round_robin, sequential, llm or custom.
	Manager string
	// Supervisor is who chooses in a chat, by the name that it speaks under; empty where the speakers choose.
	Supervisor string
	// Start is the first speaker in a chat with speakers that choose the next.
	Start string
	// HandsOverTo names those of its chat to whom a participant may hand over.
	HandsOverTo []string
}

// A Kind says what an agent is made of.
type Kind string

// The kinds of agents. Agents of programs have none.
const (
	KindChat       Kind = "chat"   // a chat
	KindConcurrent Kind = "fan"    // several agents at once
	KindModel      Kind = "model"  // an agent with a model; its participants are the agents that it calls as tools
	KindRemote     Kind = "remote" // an agent on another server
	KindScript     Kind = "script" // of package script
)

// Abilities are the known abilities of an agent, or of any member of its team. False means unknown.
type Abilities struct {
	Tools       bool // it has its own tools
	ClientTools bool // it may call tools of its caller's
	Approvals   bool // some calls need approval, and people may edit their arguments
	Handoffs    bool // participants hand over to each other
	Reasoning   bool // it may show how a model thinks
	Surfaces    bool // it may show surfaces of A2UI
}

// Or returns the abilities that a or b has.
func (a Abilities) Or(b Abilities) Abilities {
	return Abilities{
		Tools: a.Tools || b.Tools, ClientTools: a.ClientTools || b.ClientTools, Approvals: a.Approvals || b.Approvals,
		Handoffs: a.Handoffs || b.Handoffs, Reasoning: a.Reasoning || b.Reasoning, Surfaces: a.Surfaces || b.Surfaces,
	}
}

// A Describer is an agent that describes itself.
type Describer interface {
	Describe() Info
}
