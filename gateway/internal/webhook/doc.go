// Package webhook notifies a receiver when runs ask people questions. Notices are signed and delivered at least once,
// even if a replica dies, because they are stored before the questions are.
package webhook
