// Package route has the functions that the handlers of the gateway's routes share, whichever protocol they serve: the identity of a
// request, reading bodies within limits, writing JSON, and the codes of the store's errors.
package route
