// Package calls has what the gateway needs to call code and servers that it was given: agents, stores, a webhook's receiver. A panic
// of theirs becomes an error, a store that hangs delays a client for a limited time, and one that stays away is noticed.
package calls
