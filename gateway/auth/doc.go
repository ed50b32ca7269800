// Package auth says who has sent a request to a gateway, by an API key, by a token of an OpenID provider, or by what a proxy that has
// authenticated the sender has written into a header. Each of the three has a method Principal for [gateway.Options]:
//
//	keys, err := auth.OpenKeys(auth.KeysOptions{File: "keys"})
//	g, err := gateway.New(gateway.Options{Agents: agents, Principal: keys.Principal})
//
// A request whose sender is not known gets an error with the code unauthorized, which the gateway answers with 401 and one fixed sentence,
// whatever the cause. The cause is for the server log; no credential is in it. Where nobody can tell, because a provider's keys cannot be read,
// the code is auth_unavailable, and the answer 503.
//
//	credential.go  what stands in Authorization and X-API-Key
//	keys.go        who has which key                        keys_file.go reads them, generate.go makes one
//	jwt.go         what a token has to be, and whose it is   claims.go finds the roles
//	key_set.go     the provider's keys, and when they are read again
//	key_fit.go     which key may sign with which algorithm
//	provider.go    how they are read: discovery, key set, limits
//	header.go      a proxy's word, and whether it is the proxy's
package auth
