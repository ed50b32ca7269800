// Package house holds the rules this repository keeps about itself, written as ordinary tests: which package may import
// which, where each third-party library is let in, and what the container image promises. It contains no code for the
// gateway and nothing imports it.
//
// A rule that is broken fails `go test ./internal/house` with the rule's reason. To change a rule, change its row and
// the reason beside it; docs/adr/0001-one-binary-and-the-package-picture.md says why there are rules at all.
package house
