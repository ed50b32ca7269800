// Package mirror keeps the part of the shared state that belongs to a remote agent the same as the state of that agent.
package mirror
