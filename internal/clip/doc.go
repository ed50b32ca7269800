// Package clip shortens texts, for logs, for models, and for answers that repeat what a caller sent. It cuts between
// two characters:
//
//	log.Warn("refused", "path", clip.To(path, 256))
package clip
