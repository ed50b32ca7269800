package travel

import (
	"context"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/model"
)

// A voice is how the team speaks: through a model, or, without one, from the script.
type voice struct{ model model.Model }

// manners are what a model is told that speaks for the team. It finds words; what happens was decided before.
const manners = "You speak for a small team of travel specialists, to a traveller. Each time you are given what is to be said. " +
	"Say it in your own words, warmly, in the language the traveller writes in and at about the same length. Keep every name, price, number and " +
	"place as it is, keep what the traveller is told to answer in double quotes word for word, add no facts that you are not given, and never say " +
	"that you have booked or changed anything yourself."

// say says text, or has the model say it, once per turn; through a model a turn says one thing. What the model cannot do fails the turn: a script that takes
// over in silence would hide that a key is wrong.
func (v voice) say(ctx context.Context, turn *groupchat.Turn, key, text string) error {
	if v.model == nil {
		return groupchat.Say(turn, key, "%s", text)
	}
	speaker := groupchat.LLM{
		Model: v.model, NoFrontendTools: true,
		Instructions: manners + "\n\nThis is to be said now: " + text,
	}
	return speaker.Run(ctx, turn)
}
