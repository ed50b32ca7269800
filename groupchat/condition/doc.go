// Package condition makes conditions for the rules of managers, for the end of a chat ([groupchat.Chat.Until]) and for
// the choice of the participants that work at once (choose.When).
//
// A condition is about a value of the shared state ([Missing], [Present], [Equals], [Greater], [Less], [Contains],
// [Matches]), about a message ([UserSaid], [Said]) or about the last speaker ([Speaker]). [And], [Or] and [Not] combine
// conditions. A condition does not hold if the value is missing or has another type.
package condition
