package copilotkit

import "net/http"

// Routes that need services of CopilotKit's makers are answered as by a runtime without these services.

func (h *Handler) noThreadChanges(http.ResponseWriter, *http.Request) error {
	return unprocessable("Missing CopilotKitIntelligence configuration. Thread operations require a " +
		"CopilotKitIntelligence instance to be provided in CopilotRuntime options.")
}

func (h *Handler) noAnnotations(http.ResponseWriter, *http.Request) error {
	return unprocessable("Missing CopilotKitIntelligence configuration. annotate requires a CopilotKitIntelligence " +
		"instance to be provided in CopilotRuntime options.")
}

func unprocessable(text string) error {
	return &reply{http.StatusUnprocessableEntity, map[string]string{"error": text}}
}

// clearThreads deletes nothing, because loading a page must not delete threads.
func (h *Handler) clearThreads(w http.ResponseWriter, _ *http.Request) error {
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (h *Handler) noTranscription(http.ResponseWriter, *http.Request) error {
	return &reply{http.StatusServiceUnavailable, map[string]any{
		"error": "service_not_configured", "message": "Transcription service is not configured", "retryable": false,
	}}
}

func (h *Handler) noInspectorMetadata(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Cache-Control", "no-store, private")
	w.WriteHeader(http.StatusNoContent)
	return nil
}
