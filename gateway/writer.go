package gateway

import (
	"net/http"
	"time"
)

// writePiece is how much of an answer has a deadline of its own, in bytes.
const writePiece = 64 << 10

// A timedWriter is a response whose reader has a limited time for each piece. One that reads slowly gets everything; one
// that does not read is cut, whatever it was sent: a stream, a plain answer, or a file.
type timedWriter struct {
	http.ResponseWriter
	control *http.ResponseController // of ResponseWriter
	timeout time.Duration
}

func newTimedWriter(w http.ResponseWriter, timeout time.Duration) *timedWriter {
	return &timedWriter{ResponseWriter: w, control: http.NewResponseController(w), timeout: timeout}
}

// Write writes p piece by piece.
func (w *timedWriter) Write(p []byte) (int, error) {
	for written := 0; ; {
		w.limit()
		n, err := w.ResponseWriter.Write(p[written:min(written+writePiece, len(p))])
		written += n
		if err != nil || written == len(p) {
			return written, err
		}
	}
}

// FlushError flushes and returns what went wrong.
func (w *timedWriter) FlushError() error {
	w.limit()
	return w.control.Flush()
}

// Unwrap is for [http.ResponseController].
func (w *timedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// limit sets the deadline of what is written next. A connection that has none, such as a test's, does without; one that is
// closed fails the write.
func (w *timedWriter) limit() { _ = w.control.SetWriteDeadline(time.Now().Add(w.timeout)) }
