package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/model/openai"
)

// A Model is one that agents speak through.
type Model struct {
	Name   string // in the team file
	Called string // what is set up, without the key
	Probe  func(ctx context.Context) (openai.Probe, error)
}

// Check returns the check of a model.
func (m Model) Check() Check {
	c := Check{Name: "model", Subject: m.Name}
	c.Run = func(ctx context.Context) []Finding {
		p, err := m.Probe(ctx)
		if err != nil {
			says, mend := m.refused(ctx, p, err)
			return []Finding{c.finding(Wrong, says, mend)}
		}
		if p.Listed {
			return []Finding{c.finding(OK, m.Called+" takes the key and has the model in its list; nothing was paid for.", "")}
		}
		return []Finding{c.finding(OK, m.Called+" is not in a list of models, and was asked to say a word, which it did; "+costOf(p.Usage)+".", "")}
	}
	return c
}

// costOf is what asking the model has used.
func costOf(u agui.TokenUsage) string {
	if u.InputTokens == nil || u.OutputTokens == nil {
		return "what that used it does not say"
	}
	return fmt.Sprintf("that used %d tokens", *u.InputTokens+*u.OutputTokens)
}

// maxNames is how many names a sentence lists.
const maxNames = 12

// someOf lists names, not too many.
func someOf(names []string) string {
	if len(names) > maxNames {
		return strings.Join(names[:maxNames], ", ") + fmt.Sprintf(" and %d more", len(names)-maxNames)
	}
	return strings.Join(names, ", ")
}

// refused is what an error of the model means.
func (m Model) refused(ctx context.Context, p openai.Probe, err error) (says, mend string) {
	code := errcode.Of(err)
	switch {
	case refusedAddress(err):
		return m.Called + " is at an address that the gateway never connects to.", allowMend
	case ctx.Err() != nil:
		return m.Called + " does not answer in time.", "Look whether its server hangs, and whether a firewall drops what is sent to it."
	case code == errcode.ModelAuth:
		return m.Called + " does not take the key: " + causeOf(err) + ".", "Correct -model-key (OPENAI_API_KEY), or api_key in the team file."
	case code == errcode.ModelUnavailable:
		return m.Called + " cannot be reached, or is out of order: " + causeOf(err) + ".", "Start its server, or correct -model-url (OPENAI_BASE_URL), or base_url in the team file; of a quota that is used up the provider's console tells."
	case len(p.Models) > 0:
		return m.Called + " is not known to the server, which has " + someOf(p.Models) + ".", "Correct -model (OPENAI_MODEL), or model in the team file."
	case code == errcode.ModelResponse:
		return m.Called + " answers with something that is no reply of a model: " + causeOf(err) + ".", "Correct -model-url (OPENAI_BASE_URL), or base_url in the team file: most end in /v1."
	default:
		return m.Called + " refuses a request: " + causeOf(err) + ".", "Correct the URL, of which most end in /v1, or the model's name; in the team file base_url and model."
	}
}
