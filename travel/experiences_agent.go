package travel

import (
	"context"
	"errors"
	"fmt"

	"github.com/agui-gateway/gateway/groupchat"
)

// guide is the experiences agent: it tells about a city, or picks what to do on the trip.
func guide(_ context.Context, turn *groupchat.Turn) error {
	o, err := readOrder(turn.Instruction())
	if err != nil {
		return err
	}
	if o.About != "" {
		city, ok := Lookup(o.About)
		if !ok {
			return fmt.Errorf("travel: nothing about %q", o.About)
		}
		return groupchat.Say(turn, "about", "%s", city.About)
	}
	city := readTrip(turn.State()).to
	if city == nil {
		return errors.New("travel: no experiences without a city")
	}
	picked := city.Experiences()
	if err := write(turn.State(), put{"/experiences", picked}); err != nil {
		return err
	}
	return groupchat.Say(turn, "picked", "%s", experiencesText(city, picked, o.Days))
}
