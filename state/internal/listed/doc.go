// Package listed reads what a list shows of a thread from the JSON that it is stored as. A search looks at a
// thousand threads for each page, and it shows a small part of each stored thread: the rest is passed
// over, in one pass, without being decoded.
//
// Long conversations are read with it, too: the header of each message. A [Reader] reads the output of package json. On
// any other input it gives up, and [json.Unmarshal] reads it.
package listed
