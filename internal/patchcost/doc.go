// Package patchcost bounds the work that a JSON Patch causes, and compares values as RFC 6902 does. A few bytes of
// patch can move megabytes of a document, so the size of a patch says nothing about its cost.
package patchcost
