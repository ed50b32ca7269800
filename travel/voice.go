package travel

import (
	"context"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/model"
)

// A voice says the team's sentences: through a model, or, without one, as the script has them.
type voice struct{ model model.Model }

// voiceInstructions tell a model to rephrase a sentence and to change no fact in it.
const voiceInstructions = "You speak for a small team of travel specialists, to a traveller. Each time you are given what is to be said. " +
	"Say it in your own words, warmly, in the language the traveller writes in and at about the same length. Keep every name, price, number and " +
	"place as it is, keep what the traveller is told to answer in double quotes word for word, add no facts that you are not given, and never say " +
	"that you have booked or changed anything yourself."

// say says text once per turn, itself or through the model; through a model a turn says one thing. If the model fails, the turn
// fails: if the script's words were said instead, nobody would notice that a key is wrong.
func (v voice) say(ctx context.Context, turn *groupchat.Turn, key, text string) error {
	if v.model == nil {
		return groupchat.Say(turn, key, "%s", text)
	}
	speaker := groupchat.LLM{
		Model: v.model, NoFrontendTools: true,
		Instructions: voiceInstructions + "\n\nThis is to be said now: " + text,
	}
	return speaker.Run(ctx, turn)
}
