package httptool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agui-gateway/gateway/groupchat/tools"
	"github.com/agui-gateway/gateway/internal/redact"
	"github.com/agui-gateway/gateway/state/document"
)

type kind int

const (
	kindOther kind = iota // never passed on
	kindJSON
	kindText
)

// answer returns the text of a response for the model. An error that is no [tools.Error] is one of the
// connection.
func (e *endpoint) answer(r *http.Response) (string, error) {
	status := statusText(r.StatusCode)
	switch {
	case r.StatusCode >= http.StatusBadRequest:
		return "", e.refusal(r, status)
	case r.StatusCode < http.StatusOK || r.StatusCode >= http.StatusMultipleChoices:
		return "", e.answerError(status, "the server sends to another address, which is not followed")
	case e.o.Method == http.MethodHead, r.StatusCode == http.StatusNoContent:
		return status, nil
	}
	if r.Header.Get("Content-Encoding") != "" { // the client has decompressed what it asked for
		return "", e.answerError(status, "it is compressed in a way that cannot be read")
	}
	k, most := kindOf(r), e.o.MaxBytes
	if k == kindOther {
		most = 0 // only whether it is empty matters
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, int64(most)+1))
	problem := ""
	switch {
	case k == kindOther && len(body) > 0:
		problem = "it is neither JSON nor text"
	case len(body) > most:
		problem = "it is larger than " + strconv.Itoa(most) + " bytes"
	case err != nil:
		return "", err
	case len(bytes.TrimSpace(body)) == 0:
		return status, nil
	case k == kindJSON:
		var text string
		if text, problem = e.fromJSON(body); problem == "" {
			return e.masked(text), nil
		}
	case e.o.Select != "":
		problem = "it is not JSON"
	case readable(body):
		return e.masked(string(body)), nil
	default:
		problem = "it is not the text that it says it is"
	}
	return "", e.answerError(status, problem)
}

// kindOf returns what a response says that it is.
func kindOf(r *http.Response) kind {
	media, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	charset := strings.ToLower(parameters["charset"])
	switch {
	case err != nil:
		return kindOther
	case media == "application/json", strings.HasPrefix(media, "application/") && strings.HasSuffix(media, "+json"):
		return kindJSON
	case charset != "" && charset != "utf-8" && charset != "us-ascii":
		return kindOther
	case strings.HasPrefix(media, "text/") && media != "text/html" && media != "text/event-stream":
		return kindText
	}
	return kindOther
}

// readable reports whether a body is text, and not a page that is called one.
func readable(body []byte) bool {
	if !utf8.Valid(body) || bytes.IndexByte(body, 0) >= 0 {
		return false
	}
	begin := strings.ToLower(string(bytes.TrimSpace(body[:min(len(body), 64)])))
	return !strings.HasPrefix(begin, "<!doctype html") && !strings.HasPrefix(begin, "<html")
}

// fromJSON returns the text of a JSON answer for the model, or its problem.
func (e *endpoint) fromJSON(body []byte) (text, problem string) {
	if !utf8.Valid(body) || !json.Valid(body) {
		return "", "it says that it is JSON, and is not"
	}
	if e.o.Select == "" {
		return string(bytes.TrimSpace(body)), ""
	}
	document, err := document.New(json.RawMessage(`{"answer":`+string(body)+`}`), document.Options{})
	if err != nil {
		return "", "it is nested too deeply"
	}
	raw, ok := document.Raw("/answer" + e.o.Select)
	if !ok {
		return "", "it has nothing at " + e.o.Select
	}
	if text, err := scalar(raw); err == nil {
		return text, ""
	}
	return string(raw), ""
}

// maxExcerpt is how many bytes of a failed request's answer are read for its first words.
const maxExcerpt = 4 << 10

func (e *endpoint) refusal(r *http.Response, status string) error {
	text := "The request failed: " + status + "."
	if k := kindOf(r); k != kindOther && r.Header.Get("Content-Encoding") == "" {
		body, _ := io.ReadAll(io.LimitReader(r.Body, maxExcerpt)) // a part is enough
		body = bytes.ToValidUTF8(body, nil)
		said := ""
		if k == kindJSON || readable(body) {
			said = redact.Line(redact.Sentence(body), e.secrets, nil)
		}
		if said != "" {
			text += " The server says: " + said
		}
	}
	return &tools.Error{
		Text: text, Err: fmt.Errorf("httptool: %s: %s", redact.URL(e.url), status),
		Temporary: r.StatusCode >= http.StatusInternalServerError || r.StatusCode == http.StatusTooManyRequests ||
			r.StatusCode == http.StatusRequestTimeout,
	}
}

// statusText is a status with its usual words: those of the server are not repeated.
func statusText(code int) string {
	return strings.TrimSpace("HTTP " + strconv.Itoa(code) + " " + http.StatusText(code))
}

// answerError returns the error of an answer that is not passed on, with its status: the request may have had its
// effect.
func (e *endpoint) answerError(status, problem string) error {
	text := "The answer, " + status + ", cannot be told: " + problem + "."
	if !e.reads() {
		text += " What was asked for may have been done."
	}
	return &tools.Error{Text: text, Err: fmt.Errorf("httptool: %s: %s: %s", redact.URL(e.url), status, problem)}
}
