// Package route holds what the handlers of the gateway's routes share, whichever protocol they speak: who asks, how a body is
// read within its limits, how JSON is answered, and which code a failure of the store has.
package route
