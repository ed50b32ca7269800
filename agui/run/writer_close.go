package run

import (
	"errors"

	"github.com/agui-gateway/gateway/agui"
)

// CloseOpen closes the open messages, calls, spans and steps of the writer's invocation, and not the invocation. For
// the parent agent it keeps the steps too: they enclose others' work. The writer's filters get the ends first, and send
// content that they hold back; items that are still open are then closed without them. It returns their errors.
func (w Writer) CloseOpen() error {
	err := w.Flush()
	return errors.Join(err, w.closeOpen())
}

func (w Writer) closeOpen() error {
	return w.run.locked(func() error {
		for _, e := range w.run.chunks.CloseOf(w.tag) {
			if err := w.run.write(e); err != nil {
				return err
			}
		}
		for _, o := range w.run.view.closing() {
			if o.Owner != w.tag || o.Kind == agui.KindSubagent || o.Kind == agui.KindStep && w.tag == "" {
				continue
			}
			if err := w.run.write(ClosingOptions{}.end(o)); err != nil {
				return err
			}
		}
		return nil
	})
}
