// Package doctor checks an installation: whether the configured parts are available, work with a gateway, and are set
// up correctly.
//
// A [Check] examines one part and returns its findings: a [Finding] for each question in docs/doctor.md. [Run] runs
// checks concurrently, gives each a time limit, and orders the findings as in that list. Checks change nothing: a test
// write goes to a separate file or namespace, and is removed.
//
// Findings are for operators, so the sentence states the problem, and Mend the solution. Neither contains a secret:
// texts of other servers pass through package redact, and all output is filtered with the settings' secrets.
package doctor
