// Package calls protects the gateway's calls of agents, stores, and a webhook's receiver. It turns their panics into
// errors, limits how long a hanging store delays a client, and notices a store that stays away.
package calls
