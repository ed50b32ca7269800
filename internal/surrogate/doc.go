// Package surrogate joins characters that a server has split between two pieces of a text. JavaScript cuts strings
// between UTF-16 code units, so a piece may end with the first half of a surrogate pair, and the next one begin with
// the second half. As JSON the halves are \ud83d and \ude00, and encoding/json replaces each by U+FFFD.
package surrogate
