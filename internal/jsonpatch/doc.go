// Package jsonpatch applies JSON Patches (RFC 6902) to decoded JSON. It is the one patch engine of agui and of
// state: pointers, values, trees with their exact size, changes that can be taken back, differences, and a budget
// for patches of others.
//
//	pointer.go  JSON Pointers (RFC 6901), and which of them every reader can follow
//	value.go    JSON as encoding/json decodes it, in the one spelling that documents have
//	tree.go     one operation on a document, its inverse, and the size of the result
//	change.go   a patch: what it does, what readers are sent of it, and its inverse
//	diff.go     the operations that turn one document into another
//	budget.go   the work that a patch may cause, and the equality of its tests; decimal.go compares numbers
package jsonpatch
