package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/model/anthropic"
	"github.com/agui-gateway/gateway/model/openai"
)

// A Model is one that agents speak through.
type Model struct {
	Name   string // in the team file
	Called string // the configuration, without the key
	// Provider is the name of its server in the usage of runs.
	Provider string
	Probe    func(ctx context.Context) (openai.Probe, error)
}

// Check returns the check of a model.
func (m Model) Check() Check {
	return check("model", m.Name, func(ctx context.Context, c Check) []Finding {
		p, err := m.Probe(ctx)
		if err != nil {
			says, mend := m.describeRefusal(ctx, p, err)
			return c.wrong(says, mend)
		}
		if p.Listed {
			return c.ok(m.Called + " takes the key and has the model in its list; nothing was paid for.")
		}
		return c.ok(m.Called + " is not in a list of models, and was asked to say a word, which it did; " +
			costOf(p.Usage) + ".")
	})
}

func costOf(u agui.TokenUsage) string {
	if u.InputTokens == nil || u.OutputTokens == nil {
		return "what that used it does not say"
	}
	return fmt.Sprintf("that used %d tokens", *u.InputTokens+*u.OutputTokens)
}

// maxNames bounds the names in a sentence.
const maxNames = 12

func someOf(names []string) string {
	if len(names) > maxNames {
		return strings.Join(names[:maxNames], ", ") + fmt.Sprintf(" and %d more", len(names)-maxNames)
	}
	return strings.Join(names, ", ")
}

// describeRefusal returns what an error of the model means, and how to correct it.
func (m Model) describeRefusal(ctx context.Context, p openai.Probe, err error) (says, mend string) {
	code := errcode.Of(err)
	known := refusedAddress(err) || ctx.Err() != nil || code == errcode.ModelAuth || code == errcode.ModelUnavailable
	switch {
	case !known && len(p.Models) > 0:
		return m.Called + " is not known to the server, which has " + someOf(p.Models) + ".",
			"Correct -model (OPENAI_MODEL), or model in the team file."
	case !known && code == errcode.ModelResponse:
		return m.Called + " answers with something that is no reply of a model: " + causeOf(err) + ".",
			"Correct -model-url (OPENAI_BASE_URL), or base_url in the team file: most end in /v1."
	}
	return describeModelRefusal(ctx, m.Called, err,
		keyAdvice(m.Provider, "Correct -model-key (OPENAI_API_KEY), or api_key in the team file."),
		"Start its server, or correct -model-url (OPENAI_BASE_URL), or base_url in the team file; of a quota that "+
			"is used up the provider's console tells.",
		"Correct the URL, of which most end in /v1, or the model's name; in the team file base_url and model.")
}

// describeModelRefusal returns the meaning of an error of any model. The last three texts are advice.
func describeModelRefusal(ctx context.Context, called string, err error, key, address,
	description string) (says, mend string) {
	switch code := errcode.Of(err); {
	case refusedAddress(err):
		return called + " is at an address that the gateway never connects to.", allowMend
	case ctx.Err() != nil:
		return called + " does not answer in time.",
			"Check whether its server hangs, and whether a firewall drops requests to it."
	case code == errcode.ModelAuth:
		return called + " does not take the key: " + causeOf(err) + ".", key
	case code == errcode.ModelUnavailable:
		return called + " cannot be reached, or is out of order: " + causeOf(err) + ".", address
	default:
		return called + " refuses a request: " + causeOf(err) + ".", description
	}
}

// keyAdvice returns how to correct the key of a known provider, or otherwise.
func keyAdvice(name, otherwise string) string {
	preset, _ := openai.PresetOf(name)
	variable := preset.KeyVariable
	if name == anthropic.Name {
		variable = anthropic.KeyVariable
	}
	if variable == "" || name == "openai" {
		return otherwise
	}
	return "Correct " + variable + " in the environment, or api_key in the team file."
}

// ProvidedModel returns the check of a model of another provider than openai: its name in the team file, its
// configuration without the key, and the provider. A model that cannot be asked passes.
func ProvidedModel(name, called, provider string, ask func(ctx context.Context) error) Check {
	return check("model", name, func(ctx context.Context, c Check) []Finding {
		if ask == nil {
			return c.ok(called + " is set up; its provider has no way to find out whether it answers.")
		}
		if err := ask(ctx); err != nil {
			says, mend := describeModelRefusal(ctx, called, err,
				keyAdvice(provider, "Correct the key in the team file."),
				"Start its server, or correct its address in the team file.",
				"Correct its description in the team file; the manual of its provider says what may be there.")
			return c.wrong(says, mend)
		}
		return c.ok(called + " can be asked, as its provider says.")
	})
}
