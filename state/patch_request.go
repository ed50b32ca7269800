package state

import (
	"errors"
	"slices"
	"strconv"

	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/internal/clip"
	"github.com/agui-gateway/gateway/state/document"
)

// Waiting patches of a live run, and kept results of patches, are bounded: maxPendingPatches
// patches of a thread wait, of maxPendingBytes together, and the results of the newest maxPatchResults are kept.
const (
	maxPendingPatches = 16
	maxPendingBytes   = 1 << 20
	maxPatchResults   = 32
)

// maxPointer is how many bytes of a pointer that leads nowhere are remembered.
const maxPointer = 256

// A PatchRequest asks for a change of a thread's state from outside of its runs. Threads keep those that wait.
type PatchRequest struct {
	Key Key `json:"-"`
	// ID names the request. A thread that knows what became of a patch with this ID does not apply it again.
	ID string `json:"id"`
	// Fingerprint names what the caller asks for, if the caller chose the ID: a request with the ID of another and
	// another fingerprint is refused with [errcode.IdempotencyKeyReused].
	Fingerprint string `json:"fingerprint,omitempty"`

	Patch document.OutsidePatch `json:"patch"`
	// IfMatch lists the tags of states that the patch is made for, see [Thread.StateTag]; nil: any.
	IfMatch []string `json:"ifMatch,omitempty"`
	// Writable lists the pointers at and below which the caller may write; nil means everywhere.
	Writable []string `json:"writable,omitempty"`
	// MaxState is the most bytes that the state may take, and MaxPatchOps the most operations that readers are sent; 0:
	// any number.
	MaxState    int `json:"maxState,omitempty"`
	MaxPatchOps int `json:"maxPatchOps,omitempty"`
	// MaxStored is how many bytes the principal's threads may take with the patch; 0: any number. Beyond it is
	// [ErrStored].
	MaxStored int64 `json:"-"`
	// Known says that the thread was given the patch before: nothing is asked for but what became of it.
	Known bool `json:"-"`
}

// A PatchStatus says what became of a [PatchRequest].
type PatchStatus string

// What becomes of a patch.
const (
	PatchPending PatchStatus = "pending" // it waits for the end of the turn that is going on
	PatchApplied PatchStatus = "applied"
	PatchRefused PatchStatus = "refused"
	PatchUnknown PatchStatus = "unknown" // the thread was never given it, or does not remember it
)

// A PatchResult is what became of a [PatchRequest].
type PatchResult struct {
	ID     string      `json:"id"`
	Status PatchStatus `json:"status"`
	// Fingerprint is that of the request.
	Fingerprint string `json:"fingerprint,omitempty"`
	// Tag is that of the state with the patch, see [Thread.StateTag], if it is applied.
	Tag string `json:"tag,omitempty"`
	// Code says why it is refused, Problem in words, and Op and Pointer are the operation at fault and where it leads;
	// Op is negative if it is no single one's.
	Code    errcode.Code `json:"code,omitempty"`
	Problem string       `json:"problem,omitempty"`
	Op      int          `json:"op,omitempty"`
	Pointer string       `json:"pointer,omitempty"`
}

// StateTag names the state as it is: another state of this thread, and of one that is made under its key later, has
// another tag.
func (t *Thread) StateTag() string {
	return strconv.FormatInt(t.CreatedAt.UnixMilli(), 36) + "-" + strconv.FormatInt(t.StateRev, 10)
}

// matches reports whether r is made for the state that has a tag; one that is not committed has none.
func (r *PatchRequest) matches(tag string) bool {
	return r.IfMatch == nil || tag != "" && slices.Contains(r.IfMatch, tag)
}

// Apply makes the change in a document with the tag of its state; empty if it has been changed since the commit. It
// reports what became of the patch; Tag is the caller's to set. The error is one of the document itself.
func (r *PatchRequest) Apply(d *document.Document, tag string) (PatchResult, error) {
	if !r.matches(tag) {
		return r.refusedBy(nil), nil
	}
	err := d.ApplyOutside(r.Patch, r.Writable)
	if refused, ok := errors.AsType[*document.OutsideError](err); ok {
		return r.refusedBy(refused), nil
	}
	return r.result(PatchApplied), err
}

// result is what became of r.
func (r *PatchRequest) result(status PatchStatus) PatchResult {
	return PatchResult{ID: r.ID, Fingerprint: r.Fingerprint, Status: status}
}

// refusedFor is the result of a patch that is refused as a whole.
func (r *PatchRequest) refusedFor(code errcode.Code) PatchResult {
	result := r.result(PatchRefused)
	result.Code, result.Op = code, -1
	return result
}

// Refused is the result of a patch that [document.OutsidePatch.Check] refuses.
func (r *PatchRequest) Refused(err error) PatchResult {
	refused, ok := errors.AsType[*document.OutsideError](err)
	if !ok {
		refused = &document.OutsideError{Op: -1, Err: document.ErrValue}
	}
	return r.refusedBy(refused)
}

// refusedBy is the result of a patch that does not apply; nil means that the state is not what it was made for.
func (r *PatchRequest) refusedBy(err *document.OutsideError) PatchResult {
	result := r.refusedFor(errcode.StateChanged)
	if err != nil {
		result.Code, result.Problem, result.Op, result.Pointer = err.Code(), err.Problem, err.Op, err.Pointer
		result.Pointer = clip.To(result.Pointer, maxPointer)
	}
	return result
}

// patchResult is what t knows of the patch with an id.
func (t *Thread) patchResult(id string) PatchResult {
	for _, r := range t.Patched {
		if r.ID == id {
			return r
		}
	}
	for _, r := range t.Pending {
		if r.ID == id {
			return r.result(PatchPending)
		}
	}
	return PatchResult{ID: id, Status: PatchUnknown}
}

// settled notes what became of patches: they do not wait any more.
func (t *Thread) settled(results []PatchResult) {
	if len(results) == 0 {
		return
	}
	t.Pending = slices.DeleteFunc(slices.Clone(t.Pending), func(r PatchRequest) bool {
		return slices.ContainsFunc(results, func(done PatchResult) bool { return done.ID == r.ID })
	})
	t.Patched = slices.Concat(t.Patched, results)
	t.Patched = t.Patched[max(0, len(t.Patched)-maxPatchResults):]
}
