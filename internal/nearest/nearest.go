// Package nearest finds the known words that are close to a mistyped one, for messages such as "did you mean name?".
package nearest

import (
	"cmp"
	"slices"
	"strings"
)

// Bounds of the work for one word. Words beyond them are not compared.
const (
	maxKnown = 1000
	maxRunes = 64
)

// Guess returns the known word that word probably is, or "" if none is close enough. Letter case and the characters
// - _ . do not count: roundRobin is round_robin. Of three letters one may differ, of nine three.
func Guess(word string, known []string) (best string) {
	plain := letters(word)
	least := min(len(plain)/3, 3) + 1
	for _, k := range known[:min(len(known), maxKnown)] {
		other := letters(k)
		if more := len(other) - len(plain); len(other) == 0 || more >= least || -more >= least {
			continue // at least as many letters differ
		}
		if d := distance(plain, other); d < least {
			best, least = k, d
		}
	}
	return best
}

// First returns at most n of the known words, the closest first. Words that begin alike come before others.
func First(word string, known []string, n int) []string {
	plain := letters(word)
	far := func(k string) (d int) {
		other := letters(k)
		for d < len(plain) && d < len(other) && plain[d] == other[d] {
			d++
		}
		return 2*distance(plain, other) - 3*d
	}
	words := slices.Clone(known[:min(len(known), maxKnown)])
	slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(far(a), far(b)) })
	return words[:min(n, len(words))]
}

// letters returns the characters of a word that count.
func letters(word string) []rune {
	plain := []rune(strings.NewReplacer("-", "", "_", "", ".", "").Replace(strings.ToLower(word)))
	return plain[:min(len(plain), maxRunes)]
}

// distance returns the number of characters to insert, remove, replace or swap with the next one to make b of a.
func distance(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		row[0] = i + 1
		for j := range b {
			row[j+1] = min(row[j], last[j+1], last[j]) + 1
			if a[i] == b[j] {
				row[j+1] = last[j]
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
