package travel

import (
	"context"
	"errors"
	"fmt"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/travel/internal/english"
)

// guide returns the experiences agent, which describes a city or picks experiences for the trip.
func guide(v voice) groupchat.Agent {
	return groupchat.AgentFunc(func(ctx context.Context, turn *groupchat.Turn) error { return v.guide(ctx, turn) })
}

func (v voice) guide(ctx context.Context, turn *groupchat.Turn) error {
	o, err := readTask(turn.Instruction())
	if err != nil {
		return err
	}
	if o.About != "" {
		city, ok := english.Lookup(o.About)
		if !ok {
			return fmt.Errorf("travel: nothing about %q", o.About)
		}
		return v.say(ctx, turn, "about", city.About)
	}
	city := readTrip(turn.State()).to
	if city == nil {
		return errors.New("travel: no experiences without a city")
	}
	picked := city.Experiences()
	if err := write(turn, assignment{"/experiences", picked}); err != nil {
		return err
	}
	return v.say(ctx, turn, "picked", english.ExperiencesPicked(city, picked, o.Days))
}
