package gateway

import "github.com/agui-gateway/gateway/groupchat/profile"

// Bounds of one team in GET /agents: every caller with access to the agent gets them in each response.
const (
	maxTeam  = 200  // participants, all levels together
	maxEdges = 1000 // handovers
)

type teamDocument struct {
	Kind         profile.Kind         `json:"kind,omitempty"`
	Manager      string               `json:"manager,omitempty"`
	Supervisor   string               `json:"supervisor,omitempty"`
	Start        string               `json:"start,omitempty"`
	Participants []participantInATeam `json:"participants,omitempty"`
	// More is set if participants or handovers of the team are left out.
	More bool `json:"more,omitempty"`
}

// A participantInATeam has a nested team if it is one or calls other agents.
type participantInATeam struct {
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	HandsOverTo []string `json:"handsOverTo,omitempty"`
	teamDocument
}

// teamOf describes the team of an agent. When it is too large, the first participants, with their teams, are included.
func teamOf(info profile.Info) *teamDocument {
	left := teamBudget{participants: maxTeam, edges: maxEdges}
	doc := left.describe(info)
	return &doc
}

// A teamBudget is the number of participants and edges left to describe.
type teamBudget struct{ participants, edges int }

func (b *teamBudget) describe(info profile.Info) teamDocument {
	doc := teamDocument{Kind: info.Kind, Manager: info.Manager, Supervisor: info.Supervisor, Start: info.Start}
	included := info.Participants[:min(len(info.Participants), b.participants)]
	b.participants -= len(included)
	doc.More = len(included) < len(info.Participants)
	for _, p := range included {
		to := p.HandsOverTo[:min(len(p.HandsOverTo), b.edges)]
		b.edges -= len(to)
		doc.More = doc.More || len(to) < len(p.HandsOverTo)
		doc.Participants = append(doc.Participants,
			participantInATeam{Name: p.Name, Description: p.Description, HandsOverTo: to})
	}
	for i, p := range included { // the ones of this level come first
		doc.Participants[i].teamDocument = b.describe(p)
		doc.More = doc.More || doc.Participants[i].More
	}
	return doc
}
