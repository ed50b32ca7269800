{{/* The settings, as variables. What has a place of its own in the values comes first; .Values.settings cannot name it again. */}}
{{- define "gateway.env" -}}
- { name: GATEWAY_ADDR, value: "0.0.0.0:8080" }
- { name: GATEWAY_AUTH, value: {{ .Values.auth.mode }} }
{{- if eq .Values.store.type "redis" }}
- name: GATEWAY_STORE
  valueFrom: { secretKeyRef: { name: {{ .Values.store.redis.existingSecret }}, key: {{ .Values.store.redis.key }} } }
{{- else if eq .Values.store.type "file" }}
- { name: GATEWAY_STORE, value: "file:/data/threads.db" }
- { name: GATEWAY_STORE_LIMIT, value: {{ .Values.store.file.limit | quote }} }
{{- else }}
- { name: GATEWAY_STORE, value: memory }
{{- end }}
- { name: GATEWAY_DRAIN_DELAY, value: "{{ .Values.drain.delaySeconds }}s" }
- { name: GATEWAY_DRAIN, value: "{{ .Values.drain.runsSeconds }}s" }
{{- if eq .Values.auth.mode "keys" }}
- { name: GATEWAY_KEYS_FILE, value: /etc/gateway/keys/keys }
{{- else if eq .Values.auth.mode "jwt" }}
- { name: GATEWAY_JWT_ISSUER, value: {{ .Values.auth.jwt.issuer | quote }} }
- { name: GATEWAY_JWT_AUDIENCE, value: {{ .Values.auth.jwt.audience | quote }} }
{{- with .Values.auth.jwt.keySet }}
- { name: GATEWAY_JWKS_URL, value: {{ . | quote }} }
{{- end }}
{{- else if eq .Values.auth.mode "header" }}
- { name: GATEWAY_AUTH_HEADER, value: {{ .Values.auth.header.user | quote }} }
{{- with .Values.auth.header.roles }}
- { name: GATEWAY_AUTH_ROLES_HEADER, value: {{ . | quote }} }
{{- end }}
- { name: GATEWAY_AUTH_PROXIES, value: {{ .Values.auth.header.proxies | quote }} }
{{- end }}
{{- if or .Values.team.file .Values.team.existingConfigMap }}
- { name: GATEWAY_CONFIG, value: /etc/gateway/team/team.yaml }
{{- end }}
{{- if .Values.tls.existingSecret }}
- { name: GATEWAY_TLS_CERT, value: /etc/gateway/tls/tls.crt }
- { name: GATEWAY_TLS_KEY, value: /etc/gateway/tls/tls.key }
{{- end }}
{{- if .Values.metrics.enabled }}
- { name: GATEWAY_ADMIN_ADDR, value: "0.0.0.0:{{ .Values.metrics.port }}" }
- { name: GATEWAY_ADMIN_AUTH, value: none } # the network policy says who reaches it
{{- end }}
{{- range $flag, $value := .Values.settings }}
{{- /* Helm reads numbers of values files as floats, which toString writes as 5e+06 from a million on. */}}
{{- $text := $value | toString }}
{{- if kindIs "float64" $value }}{{ $text = printf "%.0f" $value }}{{ end }}
{{- if kindIs "bool" $value }}{{ $text = ternary "on" "off" $value }}{{ end }}
- { name: {{ include "gateway.variable" $flag }}, value: {{ $text | quote }} }
{{- end }}
{{- with include "gateway.goMemory" . }}
- { name: GOMEMLIMIT, value: {{ . }} }
{{- end }}
{{- with .Values.env }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* The variable of a flag. */}}
{{- define "gateway.variable" -}}
{{- $others := dict "model-url" "OPENAI_BASE_URL" "model" "OPENAI_MODEL" -}}
{{- get $others . | default (printf "GATEWAY_%s" (. | upper | replace "-" "_")) -}}
{{- end -}}

{{- define "gateway.mounts" -}}
{{- $mounts := .Values.volumeMounts -}}
{{- if eq .Values.store.type "file" }}{{ $mounts = append $mounts (dict "name" "data" "mountPath" "/data") }}{{ end -}}
{{- if eq .Values.auth.mode "keys" }}{{ $mounts = append $mounts (dict "name" "keys" "mountPath" "/etc/gateway/keys" "readOnly" true) }}{{ end -}}
{{- if or .Values.team.file .Values.team.existingConfigMap }}{{ $mounts = append $mounts (dict "name" "team" "mountPath" "/etc/gateway/team" "readOnly" true) }}{{ end -}}
{{- if .Values.tls.existingSecret }}{{ $mounts = append $mounts (dict "name" "tls" "mountPath" "/etc/gateway/tls" "readOnly" true) }}{{ end -}}
{{ toYaml $mounts }}
{{- end -}}

{{- define "gateway.volumes" -}}
{{- $volumes := .Values.volumes -}}
{{- $keys := dict "secretName" .Values.auth.keys.existingSecret "items" (list (dict "key" .Values.auth.keys.key "path" "keys")) -}}
{{- if eq .Values.auth.mode "keys" }}{{ $volumes = append $volumes (dict "name" "keys" "secret" $keys) }}{{ end -}}
{{- $team := .Values.team.existingConfigMap | default (printf "%s-team" (include "gateway.fullname" .)) -}}
{{- if or .Values.team.file .Values.team.existingConfigMap }}{{ $volumes = append $volumes (dict "name" "team" "configMap" (dict "name" $team)) }}{{ end -}}
{{- if .Values.tls.existingSecret }}{{ $volumes = append $volumes (dict "name" "tls" "secret" (dict "secretName" .Values.tls.existingSecret)) }}{{ end -}}
{{ toYaml $volumes }}
{{- end -}}
