package state

import (
	"time"

	"github.com/agui-gateway/gateway/agui"
)

// DeadLogTTL is how long the log of a thread that is gone is kept for who is reading it.
const DeadLogTTL = time.Minute

// DeletedFrame is the last frame in the log of a thread that is deleted under its live run: who reads the run is told
// that it was stopped. It has no [Ending], for nothing has closed what the run has open.
func DeletedFrame(id FrameID) (Frame, error) {
	code := agui.CodeCancelled
	data, err := agui.Encode(&agui.RunError{Message: code.Message(), Code: string(code)})
	return Frame{ID: id, Type: agui.TypeRunError, Data: data}, err
}
