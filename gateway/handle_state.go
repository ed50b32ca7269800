package gateway

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/agui-gateway/gateway/agui"
	"github.com/agui-gateway/gateway/errcode"
	"github.com/agui-gateway/gateway/gateway/internal/calls"
	"github.com/agui-gateway/gateway/gateway/internal/frame"
	"github.com/agui-gateway/gateway/gateway/internal/route"
	"github.com/agui-gateway/gateway/internal/wait"
	"github.com/agui-gateway/gateway/state"
	"github.com/agui-gateway/gateway/state/document"
)

// The media types of patches, RFC 6902 and RFC 7396.
const (
	mediaJSONPatch  = "application/json-patch+json"
	mediaMergePatch = "application/merge-patch+json"
)

// patchWait bounds the wait of a request for a turn that delays its patch; Prefer: wait=… may shorten it.
const patchWait = 10 * time.Second

// patchPause is the first interval at which a waiting request polls; it doubles each time, up to half a second.
const patchPause = 20 * time.Millisecond

// stateTries bounds the reads of a state that changes meanwhile.
const stateTries = 50

// showState is GET /threads/{id}/state: it answers with the state as committed, and its tag.
func (g *Gateway) showState(w http.ResponseWriter, r *http.Request, key state.Key) error {
	for range stateTries {
		t, _, err := g.store.Load(r.Context(), key)
		if err != nil {
			return route.StoreError(err)
		}
		raw, err := g.store.State(r.Context(), key, -1)
		if err != nil {
			return route.StoreError(err)
		}
		now, _, err := g.store.Load(r.Context(), key)
		if err != nil {
			return route.StoreError(err)
		}
		if now.StateTag() == t.StateTag() { // otherwise it was changed meanwhile
			w.Header().Set("ETag", strconv.Quote(t.StateTag()))
			route.Answer(w, http.StatusOK, frame.Object(raw))
			return nil
		}
	}
	return &errcode.Error{Code: errcode.StoreUnavailable,
		Err: errors.New("the state changes faster than it can be read with its tag")}
}

// patchState serves PATCH /threads/{id}/state: it changes the state from outside a run. If the patch has to wait for a
// turn of a live run, the response follows when it is applied, or is 202 if that takes long.
func (g *Gateway) patchState(w http.ResponseWriter, r *http.Request, key state.Key) error {
	agent, err := g.agentFor(r, key.Agent)
	if err != nil {
		return err
	}
	patch, err := g.readPatch(r)
	if err != nil {
		return err
	}
	tags, err := entityTags(r.Header.Values("If-Match"))
	if err != nil {
		return err
	}
	idempotencyKey, err := readIdempotencyKey(r.Header.Values("Idempotency-Key"))
	if err != nil {
		return err
	}
	q := &state.PatchRequest{
		Key: key, ID: g.o.NewID(), Patch: patch, IfMatch: tags, Writable: agent.spec.Client,
		MaxState: g.o.Limits.State, MaxPatchOps: g.o.Limits.PatchOps, MaxStored: g.o.Limits.StoredPerPrincipal,
	}
	if idempotencyKey != "" {
		q.ID, q.Fingerprint = idempotentID(key, idempotencyKey), fingerprint(patch)
	}
	if err := patch.Check(g.o.Limits.PatchOps); err != nil {
		return g.answerPatch(w, r, q.Refused(err))
	}
	result, err := g.applyPatch(r.Context(), q, patchTime(r.Header.Values("Prefer")))
	if err != nil {
		return route.StoreError(err)
	}
	g.logThread(r, key, "state patched", "status", string(result.Status), "patch", result.ID)
	if result.Status == state.PatchApplied || result.Status == state.PatchPending {
		g.audit(r, key, AuditEntry{Action: AuditPatched, Patch: result.ID})
	}
	return g.answerPatch(w, r, result)
}

// showPatch is GET /threads/{id}/state/patches/{patch}: it answers what became of a patch that was answered with 202.
func (g *Gateway) showPatch(w http.ResponseWriter, r *http.Request, key state.Key) error {
	result, err := g.store.PatchState(r.Context(), &state.PatchRequest{Key: key, ID: r.PathValue("patch"), Known: true})
	if err != nil {
		return route.StoreError(err)
	}
	if result.Status == state.PatchUnknown {
		return &errcode.Error{Code: errcode.NotFound}
	}
	return g.answerPatch(w, r, result)
}

// readPatch reads the body by its media type.
func (g *Gateway) readPatch(r *http.Request) (p document.OutsidePatch, err error) {
	switch route.MediaType(r) {
	case mediaJSONPatch:
	case mediaMergePatch:
		p.Merge = true
	default:
		return p, &errcode.Error{Code: errcode.UnsupportedMediaType,
			Text: "The body must be " + mediaJSONPatch + " or " + mediaMergePatch + "."}
	}
	p.Body, err = route.ReadBody(r, g.o.Limits.Body)
	return p, err
}

// entityTags reads If-Match; nil means that every state matches. A weak tag matches none.
func entityTags(lines []string) ([]string, error) {
	if len(lines) == 0 {
		return nil, nil
	}
	tags := []string{}
	for tag := range strings.SplitSeq(strings.Join(lines, ","), ",") {
		tag = strings.TrimSpace(tag)
		if tag == "*" {
			return nil, nil
		}
		if strings.HasPrefix(tag, "W/") || tag == "" {
			continue
		}
		if len(tag) < 2 || tag[0] != '"' || tag[len(tag)-1] != '"' {
			return nil, &agui.FieldError{Problem: "has an If-Match that is no list of entity tags"}
		}
		tags = append(tags, tag[1:len(tag)-1])
	}
	return tags, nil
}

// maxIdempotencyKey is the greatest length of an Idempotency-Key in bytes. Threads store a hash of it.
const maxIdempotencyKey = 255

// readIdempotencyKey parses the Idempotency-Key headers, quoted or not. It returns "" without a header.
func readIdempotencyKey(lines []string) (string, error) {
	if len(lines) == 0 {
		return "", nil
	}
	key := strings.TrimSpace(lines[0])
	if strings.HasPrefix(key, `"`) {
		key = strings.TrimSuffix(key[1:], `"`)
	}
	unfit := func(c rune) bool { return c < ' ' || c > '~' || c == '"' }
	if len(lines) > 1 || key == "" || len(key) > maxIdempotencyKey || strings.ContainsFunc(key, unfit) {
		return "", &agui.FieldError{Problem: "has an Idempotency-Key that is no quoted text of 1 to 255 characters"}
	}
	return key, nil
}

// idempotentID returns the id of every patch that arrives at a thread with idempotencyKey.
func idempotentID(key state.Key, idempotencyKey string) string {
	sum := sha256.Sum256([]byte(key.Digest() + " " + idempotencyKey))
	return "patch-" + hex.EncodeToString(sum[:16])
}

// fingerprint distinguishes different patches with one Idempotency-Key.
func fingerprint(p document.OutsidePatch) string {
	sum := sha256.Sum256(append([]byte(strconv.FormatBool(p.Merge)+" "), p.Body...))
	return hex.EncodeToString(sum[:16])
}

// patchTime returns how long a request waits for its patch.
func patchTime(prefer []string) time.Duration {
	for word := range strings.SplitSeq(strings.Join(prefer, ","), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(word), "=")
		if n, err := strconv.Atoi(value); err == nil && n >= 0 && strings.EqualFold(name, "wait") {
			return min(time.Duration(n)*time.Second, patchWait)
		}
	}
	return patchWait
}

// applyPatch stores a patch and waits until a live run has applied it. The patch stays stored if the client hangs up.
func (g *Gateway) applyPatch(
	ctx context.Context, q *state.PatchRequest, patience time.Duration,
) (state.PatchResult, error) {
	result, err := g.store.PatchState(ctx, q)
	until := time.Now().Add(patience)
	for step := patchPause; err == nil && result.Status == state.PatchPending; step = min(2*step, 25*patchPause) {
		left := time.Until(until)
		if left <= 0 || g.serving.Err() != nil {
			return result, nil
		}
		if err := wait.For(ctx, min(step, left)); err != nil {
			return result, err
		}
		known := &state.PatchRequest{Key: q.Key, ID: q.ID, Known: true}
		if result, err = g.store.PatchState(ctx, known); result.Status == state.PatchUnknown && err == nil {
			// it is settled, and its result has been evicted by later ones
			return state.PatchResult{ID: q.ID, Status: state.PatchPending}, nil
		}
	}
	return result, err
}

// answerPatch answers with what became of a patch.
func (g *Gateway) answerPatch(w http.ResponseWriter, r *http.Request, result state.PatchResult) error {
	switch result.Status {
	case state.PatchApplied:
		w.Header().Set("ETag", strconv.Quote(result.Tag))
		route.Answer(w, http.StatusOK, map[string]string{"patch": result.ID, "status": string(result.Status)})
	case state.PatchRefused:
		g.refusePatch(w, r, result)
	default:
		if r.Method == http.MethodPatch {
			place := url.URL{Path: "state/patches/" + result.ID, RawQuery: r.URL.RawQuery}
			w.Header().Set("Location", place.String())
		}
		route.Answer(w, http.StatusAccepted, map[string]string{"patch": result.ID, "status": string(result.Status)})
	}
	return nil
}

// refusePatch is [Gateway.answerError] with the operation at fault.
func (g *Gateway) refusePatch(w http.ResponseWriter, r *http.Request, result state.PatchResult) {
	g.log(r).With(route.RequestAttrs(r)...).Info("request: refused", "code", string(result.Code))
	g.noteCode(limitOfPatch, result.Code)
	message := result.Code.Message()
	if result.Problem != "" {
		message += " " + strings.ToUpper(result.Problem[:1]) + result.Problem[1:] + "."
	}
	body := map[string]any{"code": result.Code, "message": message, "requestId": route.RequestID(r)}
	if result.Op >= 0 {
		body["operation"] = result.Op
	}
	if result.Op >= 0 || result.Pointer != "" {
		body["pointer"] = result.Pointer
	}
	route.Answer(w, result.Code.Status(), map[string]any{"error": body})
}

// settlePatches applies patches that still wait at the end of a run. On failure the next request does it.
func (g *Gateway) settlePatches(t *state.Thread) {
	if t.Live != nil || len(t.Pending) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), calls.StoreTimeout)
	defer cancel()
	if _, err := g.store.PatchState(ctx,
		&state.PatchRequest{Key: t.Key, ID: t.Pending[0].ID, Known: true}); err != nil {
		g.logFor(t.Key.Principal).Warn("thread: patches left waiting", "agent", t.Key.Agent, "thread", t.Key.ID,
			"error", err)
	}
}
