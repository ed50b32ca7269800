// Package attachment checks the files of messages and decides how they may be served.
//
// A file is a content part of AG-UI with a source: its bytes, in base64, or a URL. [Limits.Admit] checks uploaded files
// against their declaration: the bytes have to be of the declared type, and of an allowed type. [Open] decides how a
// file is sent to the holder of a link, also for files of tools and of messages stored by earlier versions: it trusts
// no declaration, and sends nothing that a browser could run under its real type. The package never fetches anything.
package attachment
