package run

import "github.com/agui-gateway/gateway/agui"

// CloseOpen closes the messages, calls, spans and steps that the writer's invocation left open, and leaves the
// invocation itself as it is. For the parent agent it leaves the steps too: they frame others' work.
func (w Writer) CloseOpen() error {
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
