// Package attachment judges the files of messages, and says as what they may be served.
//
// A file is a content part of AG-UI with a source: its bytes, in base64, or a URL. [Limits.Admit] holds files that somebody sends to what
// they claim to be: the bytes have to be of the declared type, and of a type that is allowed. [Open] decides the other way round what the
// holder of a link is sent, also for files of tools and of messages that were stored by earlier versions: it trusts no declaration, and
// nothing that a browser could run is told to it as what it is. Nothing is ever fetched.
package attachment
