package doctor

import (
	"context"
)

// A ProvidedModel is a model of a provider that a program has registered.
type ProvidedModel struct {
	Name   string // in the team file
	Called string // the configuration, without the key
	Ask    func(ctx context.Context) error
}

// Check returns the check of such a model. A model without a probe passes.
func (m ProvidedModel) Check() Check {
	c := Check{Name: "model", Subject: m.Name}
	c.Run = func(ctx context.Context) []Finding {
		if m.Ask == nil {
			return c.ok(m.Called + " is set up; its provider has no way to find out whether it answers.")
		}
		if err := m.Ask(ctx); err != nil {
			says, mend := describeModelRefusal(ctx, m.Called, err, "Correct the key in the team file.",
				"Start its server, or correct its address in the team file.",
				"Correct its description in the team file; the manual of its provider says what may be there.")
			return c.wrong(says, mend)
		}
		return c.ok(m.Called + " can be asked, as its provider says.")
	}
	return c
}
