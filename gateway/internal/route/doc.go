// Package route has the functions that the handlers of all the gateway's protocols share: the identity of a request,
// reading bodies within limits, writing JSON, and the codes of the store's errors.
package route
