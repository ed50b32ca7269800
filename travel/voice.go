package travel

import (
	"context"

	"github.com/agui-gateway/gateway/groupchat"
	"github.com/agui-gateway/gateway/model"
)

// A voice phrases the team's sentences: with a model, or, without one, unchanged.
type voice struct{ model model.Model }

// voiceInstructions ask a model to rephrase a sentence without changing a fact.
const voiceInstructions = "You speak for a small team of travel specialists, to a traveller. Each time you are " +
	"given what is to be said. Say it in your own words, warmly, in the language the traveller writes in and at " +
	"about the same length. Keep every name, price, number and place as it is, keep what the traveller is told to " +
	"answer in double quotes word for word, add no facts that you are not given, and never say that you have booked " +
	"or changed anything yourself."

// say sends text once per turn, unchanged or phrased by the model; a turn with a model sends one text. If the model
// fails, the turn fails: a fallback to the fixed text would hide a wrong key.
func (v voice) say(ctx context.Context, turn *groupchat.Turn, key, text string) error {
	if v.model == nil {
		return groupchat.SayOnce(turn, key, text)
	}
	speaker := groupchat.LLM{
		Model: v.model, NoFrontendTools: true,
		Instructions: voiceInstructions + "\n\nThis is to be said now: " + text,
	}
	return speaker.Run(ctx, turn)
}
