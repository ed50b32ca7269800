package agui

// CloseOpen closes the messages, calls, spans and steps that the writer's invocation left open, and leaves the
// invocation itself as it is. For the parent agent it leaves the steps too: they frame others' work.
func (w Writer) CloseOpen() error {
	return w.run.locked(func() error {
		for _, e := range w.run.lanes.close(func(l lane) bool { return l.owner == w.tag }) {
			if err := w.run.write(e); err != nil {
				return err
			}
		}
		for _, c := range w.run.view.closings(ClosingOptions{}) {
			_, step := c.event.(*StepFinished)
			_, invocation := c.event.(*SubagentFinished)
			if c.owner != w.tag || invocation || step && w.tag == "" {
				continue
			}
			if err := w.run.write(c.event); err != nil {
				return err
			}
		}
		return nil
	})
}
