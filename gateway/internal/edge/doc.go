// Package edge checks how requests arrive, before their content: the client's address, the requested host, and the
// origin of the page that sent them. It has no notion of threads, runs or principals.
package edge
