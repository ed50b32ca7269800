// Package webhook tells a receiver when runs ask people questions: at least once, signed, and over the death of a replica, because the
// notice is in the store before the questions are.
package webhook
