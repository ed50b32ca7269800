package doctor

import (
	"context"

	"github.com/agui-gateway/gateway/errcode"
)

// A ProvidedModel is a model of a provider that a program has registered.
type ProvidedModel struct {
	Name   string // in the team file
	Called string // what is set up, without the key
	Ask    func(ctx context.Context) error
}

// Check returns the check of such a model. One that cannot be asked is good as far as anybody knows.
func (m ProvidedModel) Check() Check {
	c := Check{Name: "model", Subject: m.Name}
	c.Run = func(ctx context.Context) []Finding {
		if m.Ask == nil {
			return []Finding{c.finding(OK, m.Called+" is set up; its provider has no way to find out whether it answers.", "")}
		}
		if err := m.Ask(ctx); err != nil {
			says, mend := m.refused(ctx, err)
			return []Finding{c.finding(Wrong, says, mend)}
		}
		return []Finding{c.finding(OK, m.Called+" can be asked, as its provider says.", "")}
	}
	return c
}

// refused is what an error of the model means.
func (m ProvidedModel) refused(ctx context.Context, err error) (says, mend string) {
	code := errcode.Of(err)
	switch {
	case refusedAddress(err):
		return m.Called + " is at an address that the gateway never connects to.", allowMend
	case ctx.Err() != nil:
		return m.Called + " does not answer in time.", "Look whether its server hangs, and whether a firewall drops what is sent to it."
	case code == errcode.ModelAuth:
		return m.Called + " does not take the key: " + causeOf(err) + ".", "Correct the key in the team file."
	case code == errcode.ModelUnavailable:
		return m.Called + " cannot be reached, or is out of order: " + causeOf(err) + ".", "Start its server, or correct its address in the team file."
	default:
		return m.Called + " refuses a request: " + causeOf(err) + ".", "Correct its description in the team file; the manual of its provider says what may be there."
	}
}
