// Package auth identifies the sender of a request to a gateway: by an API key, by a token of an OpenID provider, or by
// a header from a proxy that has authenticated the sender. Each of the three types has a method Principal for
// [gateway.Options]:
//
//	keys, err := auth.OpenKeys(auth.KeysOptions{File: "keys"})
//	g, err := gateway.New(gateway.Options{Agents: agents, Principal: keys.Principal})
//
// A request with an unknown sender gets an error with the code unauthorized, which the gateway answers with 401 and one
// fixed sentence for every cause. The cause is for the server log; it contains no credential. If the sender cannot be
// checked, because a provider's keys cannot be read, the code is auth_unavailable, and the response 503.
//
//	credential.go  parses Authorization and X-API-Key
//	keys.go        finds the principal of a key            keys_file.go reads keys, generate.go makes one
//	jwt.go         verifies a token                        claims.go finds its roles
//	key_set.go     caches and refreshes the provider's keys
//	key_fit.go     which key may sign with which algorithm
//	provider.go    reads keys: discovery, key set, limits
//	header.go      headers of trusted proxies
package auth
