{{- define "gateway.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "gateway.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" -}}
{{- else if contains (include "gateway.name" .) .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "gateway.name" .) | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "gateway.selector" -}}
app.kubernetes.io/name: {{ include "gateway.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "gateway.labels" -}}
{{ include "gateway.selector" . }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "gateway.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- define "gateway.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{ .Values.serviceAccount.name | default (include "gateway.fullname" .) }}
{{- else -}}
{{ .Values.serviceAccount.name | default "default" }}
{{- end -}}
{{- end -}}

{{/* Several replicas need a store that they share. */}}
{{- define "gateway.shared" -}}
{{- if eq .Values.store.type "redis" }}yes{{ end -}}
{{- end -}}

{{/* How many bytes Go may take before it collects more often: nine tenths of the limit. */}}
{{- define "gateway.goMemory" -}}
{{- $limit := dig "limits" "memory" "" .Values.resources | toString -}}
{{- if hasSuffix "Gi" $limit }}{{ mulf (trimSuffix "Gi" $limit | float64) 921.6 | floor | int }}MiB
{{- else if hasSuffix "Mi" $limit }}{{ mulf (trimSuffix "Mi" $limit | float64) 0.9 | floor | int }}MiB
{{- end -}}
{{- end -}}

{{/* The pod of both the Deployment and the StatefulSet. */}}
{{- define "gateway.pod" -}}
metadata:
  labels:
    {{- include "gateway.labels" . | nindent 4 }}
    {{- with .Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    kubectl.kubernetes.io/default-container: gateway
    {{- if .Values.team.file }}
    checksum/team: {{ .Values.team.file | sha256sum }}
    {{- end }}
    {{- with .Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "gateway.serviceAccount" . }}
  automountServiceAccountToken: false
  # A service named gateway would put variables of the same prefix into the environment, where the gateway looks for its settings.
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ add .Values.drain.delaySeconds .Values.drain.runsSeconds 10 }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 65532
    runAsGroup: 65532
    {{- if eq .Values.store.type "file" }}
    fsGroup: 65532
    fsGroupChangePolicy: OnRootMismatch
    {{- end }}
    seccompProfile: { type: RuntimeDefault }
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets: {{ toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector: {{ toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations: {{ toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity: {{ toYaml . | nindent 4 }}
  {{- end }}
  topologySpreadConstraints:
    {{- if .Values.topologySpreadConstraints }}
    {{- toYaml .Values.topologySpreadConstraints | nindent 4 }}
    {{- else }}
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels: {{ include "gateway.selector" . | nindent 10 }}
    {{- end }}
  containers:
    - name: gateway
      image: {{ include "gateway.image" . | quote }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args: [serve]
      env: {{ include "gateway.env" . | nindent 8 }}
      {{- with .Values.team.existingSecrets }}
      envFrom:
        {{- range . }}
        - secretRef: { name: {{ . }} }
        {{- end }}
      {{- end }}
      ports:
        - { name: http, containerPort: 8080 }
        {{- if .Values.metrics.enabled }}
        - { name: metrics, containerPort: {{ .Values.metrics.port }} }
        {{- end }}
      startupProbe: # a file is checked before it is opened, which takes its time
        httpGet: {{ include "gateway.probe" (list . "/healthz") }}
        periodSeconds: 2
        failureThreshold: 60
      livenessProbe:
        httpGet: {{ include "gateway.probe" (list . "/healthz") }}
        periodSeconds: 10
        timeoutSeconds: 3
        failureThreshold: 6
      readinessProbe:
        httpGet: {{ include "gateway.probe" (list . "/readyz") }}
        periodSeconds: 2
        timeoutSeconds: 3
        failureThreshold: 3
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      resources: {{ toYaml .Values.resources | nindent 8 }}
      volumeMounts: {{ include "gateway.mounts" . | nindent 8 }}
  volumes: {{ include "gateway.volumes" . | nindent 4 }}
{{- end -}}

{{- define "gateway.probe" -}}
{{- $root := index . 0 -}}
{ path: {{ index . 1 }}, port: http, scheme: {{ ternary "HTTPS" "HTTP" (ne $root.Values.tls.existingSecret "") }} }
{{- end -}}
