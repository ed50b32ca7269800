package a2a

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/agui-gateway/gateway/agui/client"
	"github.com/agui-gateway/gateway/internal/exact"
)

// What may be wrong with an agent's card, as causes of a [*client.Error].
var (
	// ErrCard: the answer is no agent card.
	ErrCard = errors.New("the answer is no agent card")
	// ErrTransport: the card has no interface of JSON-RPC.
	ErrTransport = errors.New("the agent has no interface of JSON-RPC")
	// ErrVersion: the card has no interface of a version that is spoken here.
	ErrVersion = errors.New("the agent speaks no version of A2A that is spoken here, 1.0 or 0.3")
	// ErrElsewhere: the card names a URL on another server than its own, to which no header is sent unless
	// [Options].Endpoint names it.
	ErrElsewhere = errors.New("the card names a URL on another server than its own")
)

// bindingJSONRPC is the name of the one transport that is spoken here.
const bindingJSONRPC = "JSONRPC"

// An agentCard has the used members of an agent's card, in the forms of 1.0 and of 0.3.
type agentCard struct {
	Name         string `json:"name"`
	Description  string `json:"description"`
	Capabilities struct {
		Streaming bool `json:"streaming"`
	} `json:"capabilities"`
	DefaultInputModes []string `json:"defaultInputModes"`
	Skills            []struct {
		Name string `json:"name"`
	} `json:"skills"`
	SupportedInterfaces []agentInterface `json:"supportedInterfaces"` // 1.0

	URL                  string           `json:"url"` // 0.3, and what follows
	PreferredTransport   string           `json:"preferredTransport"`
	ProtocolVersion      string           `json:"protocolVersion"`
	AdditionalInterfaces []agentInterface `json:"additionalInterfaces"`
}

type agentInterface struct {
	URL             string `json:"url"`
	ProtocolBinding string `json:"protocolBinding"`
	ProtocolVersion string `json:"protocolVersion"`
	Tenant          string `json:"tenant"`
	Transport       string `json:"transport"` // 0.3's name of the binding
}

func parseCard(data []byte) (*agentCard, error) {
	var card agentCard
	if exact.Unmarshal(data, &card) != nil || card.Name == "" || card.URL == "" && len(card.SupportedInterfaces) == 0 {
		return nil, &client.Error{Fault: client.FaultInvalid, Err: ErrCard}
	}
	return &card, nil
}

// interfaces are all that the card names, in the form of 1.0.
func (c *agentCard) interfaces() []agentInterface {
	list := slices.Clone(c.SupportedInterfaces)
	if c.URL == "" {
		return list
	}
	binding := c.PreferredTransport
	if binding == "" {
		binding = bindingJSONRPC
	}
	older := append([]agentInterface{{URL: c.URL, Transport: binding}}, c.AdditionalInterfaces...)
	for _, i := range older {
		i.ProtocolBinding, i.ProtocolVersion = i.Transport, c.ProtocolVersion
		if i.ProtocolVersion == "" {
			i.ProtocolVersion = version03 // 0.2 has no such member, and the same messages
		}
		list = append(list, i)
	}
	return list
}

// An endpoint is where, and in which version, an agent is asked.
type endpoint struct {
	url     *url.URL
	dialect dialect
	tenant  string
	// streams says that answers may come as streams, json that the agent reads data.
	streams, json bool
}

// endpoint chooses the interface of the newest version that is spoken here.
func (c *agentCard) endpoint(o *Options, at *url.URL) (endpoint, error) {
	bad := func(cause error, names []string) (endpoint, error) {
		if len(names) > 0 {
			cause = fmt.Errorf("%w: it has %s", cause, strings.Join(names, ", "))
		}
		return endpoint{}, &client.Error{Fault: client.FaultInvalid, Err: cause}
	}
	var bindings, versions []string
	var best *agentInterface
	for _, i := range c.interfaces() {
		const enough = 10
		if len(bindings) < enough {
			bindings = append(bindings, client.CodeName(i.ProtocolBinding))
		}
		if i.ProtocolBinding != bindingJSONRPC {
			continue
		}
		if len(versions) < enough {
			versions = append(versions, client.CodeName(i.ProtocolVersion))
		}
		if d := dialectOf(i.ProtocolVersion); d != nil &&
			(best == nil || d == dialect10 && dialectOf(best.ProtocolVersion) != dialect10) {
			best = &i
		}
	}
	switch {
	case best == nil && versions == nil:
		return bad(ErrTransport, bindings)
	case best == nil:
		return bad(ErrVersion, versions)
	}
	e := endpoint{
		dialect: dialectOf(best.ProtocolVersion), tenant: best.Tenant, streams: c.Capabilities.Streaming,
		json: slices.ContainsFunc(c.DefaultInputModes,
			func(mode string) bool { return mode == "application/json" || mode == "*/*" }),
	}
	named := best.URL
	if o.Endpoint != "" {
		named = o.Endpoint
	}
	var err error
	if e.url, err = at.Parse(named); err != nil {
		return bad(ErrCard, nil)
	}
	if o.Endpoint == "" && (e.url.Scheme != at.Scheme || e.url.Host != at.Host) {
		return bad(ErrElsewhere, nil)
	}
	return e, nil
}

// maxDescription is the maximum size of a card's description in bytes.
const maxDescription = 2000

// description is what the card tells models and people of the agent.
func (c *agentCard) description() string {
	text := strings.TrimSpace(c.Description)
	if text == "" {
		text = c.Name
	}
	var skills []string
	for _, s := range c.Skills {
		if s.Name != "" {
			skills = append(skills, s.Name)
		}
	}
	if len(skills) > 0 {
		text += " (" + strings.Join(skills, ", ") + ")"
	}
	if len(text) > maxDescription {
		text = text[:maxDescription]
	}
	return strings.ToValidUTF8(text, "")
}
