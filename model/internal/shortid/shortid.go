// Package shortid makes ids that every model's server takes.
package shortid

import "crypto/sha256"

// Of returns nine letters and digits that stand for s, the same each time. Ids of calls in this project are longer than
// the 40 characters that one provider takes, and another wants exactly nine.
func Of(s string) string {
	const digits = "0123456789abcdefghijklmnopqrstuvwxyz"
	sum := sha256.Sum256([]byte(s))
	short := make([]byte, 9)
	for i := range short {
		short[i] = digits[int(sum[i])%len(digits)]
	}
	return string(short)
}
