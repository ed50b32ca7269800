// Package listed reads what a list shows of a thread from the JSON that it is stored as. A search looks at a
// thousand threads for each page, and what it shows of one is a small part of what is stored: the rest is passed
// over, in one pass, without being decoded.
//
// Long conversations are read with it, too: what is kept of each message beside its encoding.
//
// What is read so is what package json writes. Whatever else there is, JSON or not, a [Reader] gives up on, and
// [json.Unmarshal] reads it.
package listed
