// Package predict lets places in the shared state follow values that are still being written, and takes the changes
// back if nothing comes of them.
package predict
