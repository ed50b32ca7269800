package gateway

import "github.com/agui-gateway/gateway/groupchat"

// What GET /agents tells of one team at most: whoever may use an agent may be sent this with every answer.
const (
	maxTeam  = 200  // participants, all levels together
	maxEdges = 1000 // handovers
)

// A teamDocument tells what an agent is made of.
type teamDocument struct {
	Kind         groupchat.Kind       `json:"kind,omitempty"`
	Manager      string               `json:"manager,omitempty"`
	Supervisor   string               `json:"supervisor,omitempty"`
	Start        string               `json:"start,omitempty"`
	Participants []participantInATeam `json:"participants,omitempty"`
	// More says that the team has more participants or handovers than are told.
	More bool `json:"more,omitempty"`
}

// A participantInATeam has a team of its own if it is one, or calls others.
type participantInATeam struct {
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	HandsOverTo []string `json:"handsOverTo,omitempty"`
	teamDocument
}

// teamOf tells of the team of an agent. The participants that come first in it are told, with their own teams.
func teamOf(info groupchat.Info) *teamDocument {
	left := teamBudget{participants: maxTeam, edges: maxEdges}
	doc := left.tell(info)
	return &doc
}

// A teamBudget is what may still be told.
type teamBudget struct{ participants, edges int }

func (b *teamBudget) tell(info groupchat.Info) teamDocument {
	doc := teamDocument{Kind: info.Kind, Manager: info.Manager, Supervisor: info.Supervisor, Start: info.Start}
	told := info.Participants[:min(len(info.Participants), b.participants)]
	b.participants -= len(told)
	doc.More = len(told) < len(info.Participants)
	for _, p := range told {
		to := p.HandsOverTo[:min(len(p.HandsOverTo), b.edges)]
		b.edges -= len(to)
		doc.More = doc.More || len(to) < len(p.HandsOverTo)
		doc.Participants = append(doc.Participants, participantInATeam{Name: p.Name, Description: p.Description, HandsOverTo: to})
	}
	for i, p := range told { // the ones of this level come first
		doc.Participants[i].teamDocument = b.tell(p)
		doc.More = doc.More || doc.Participants[i].More
	}
	return doc
}
