package run

import (
	"errors"

	"github.com/agui-gateway/gateway/agui"
)

// CloseOpen closes the messages, calls, spans and steps that the writer's invocation left open, and leaves the
// invocation itself as it is. For the parent agent it leaves the steps too: they frame others' work. The writer's filters see the
// ends first, and send what they hold back; what is still open then is closed without them. It returns their errors.
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
