package house

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// An instruction is one of a Dockerfile's, its continued lines joined.
type instruction struct {
	line int // of its first line
	word string
	args string
}

// knownWords are the instructions a Dockerfile of ours may have; the retired MAINTAINER is not among them, and ADD
// fetches and unpacks where COPY only copies.
var knownWords = []string{"ARG", "CMD", "COPY", "ENTRYPOINT", "ENV", "EXPOSE", "FROM", "HEALTHCHECK", "LABEL", "RUN", "USER", "VOLUME", "WORKDIR"}

// TestDockerfile states what the image promises, as far as the text of its recipe can tell; image_test.go builds it.
func TestDockerfile(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	gomod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range checkDockerfile(string(text), string(gomod)) {
		t.Error(problem)
	}
}

const goodDockerfile = `FROM node:20.20.2 AS page
RUN npm run build
FROM golang:1.26.8 AS build
COPY --from=page /src/web/dist web/dist
RUN go mod download && \
    # a comment between continued lines is dropped
    CGO_ENABLED=0 go build -trimpath -ldflags="-X main.release=$VERSION -X main.commit=$COMMIT -X main.date=$DATE" ./cmd/gateway
FROM scratch
COPY --from=build /src/bin/gateway /gateway
COPY --from=build --chown=65532:65532 /src/volume /
LABEL org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$COMMIT"
ENV GATEWAY_ADDR=0.0.0.0:8080 GATEWAY_STORE_DEFAULT=file:/data/threads.db
VOLUME /data
EXPOSE 8080
USER 65532:65532
HEALTHCHECK CMD ["/gateway", "healthcheck"]
ENTRYPOINT ["/gateway"]
`

func TestCheckDockerfile(t *testing.T) {
	t.Parallel()
	const gomod = "module m\n\ngo 1.26.0\n"
	tests := []struct{ name, old, new, want string }{
		{"as it should be", "", "", ""},
		{"typing error", "EXPOSE", "EXPOSES", "EXPOSES is no instruction"},
		{"no argument", "EXPOSE 8080", "EXPOSE", "EXPOSE has no argument"},
		{"wrong port", "EXPOSE 8080", "EXPOSE 80", "EXPOSE"},
		{"threads that end with the container", "VOLUME /data", "VOLUME /tmp", "VOLUME"},
		{"a store that nobody can override", "GATEWAY_STORE_DEFAULT", "GATEWAY_STORE", "ENV"},
		{"a volume that the user cannot write", "--chown=65532:65532 ", "", "COPY"},
		{"root", "USER 65532:65532", "USER 0:0", "USER"},
		{"named user", "USER 65532:65532", "USER nobody", "USER"},
		{"user of another stage", "USER 65532:65532\n", "", "USER"},
		{"shell form", `["/gateway"]`, "/gateway", "ENTRYPOINT"},
		{"probe needs a shell", `CMD ["/gateway", "healthcheck"]`, "CMD /gateway healthcheck", "HEALTHCHECK"},
		{"a public image without authentication", "ENV GATEWAY_ADDR", "ENV GATEWAY_AUTH=none GATEWAY_ADDR", "GATEWAY_AUTH"},
		{"the same by flag", `["/gateway"]`, `["/gateway", "-auth", "none"]`, "-auth"},
		{"floating base", "golang:1.26.8", "golang:latest", "no fixed tag"},
		{"base without tag", "golang:1.26.8", "golang", "no fixed tag"},
		{"nobody knows which commit", "image.revision", "image.licenses", "LABEL"},
		{"a binary without a version", "-X main.release=$VERSION ", "", "main"},
		{"older Go than the module's", "golang:1.26.8", "golang:1.25.9", "golang:1.25.9 builds"},
		{"one stage", "FROM node:20.20.2 AS page\nRUN npm run build\nFROM golang:1.26.8 AS build\n", "", "two stages"},
		{"no page in the binary", "COPY --from=page /src/web/dist web/dist\n", "", "the page is built"},
		{"unknown stage", "--from=build", "--from=builder", "builder"},
		{"not static", "CGO_ENABLED=0 ", "", "CGO_ENABLED=0"},
		{"paths of the builder in the binary", "-trimpath ", "", "-trimpath"},
		{"a system below the binary", "FROM scratch", "FROM debian:12", "debian:12"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := checkDockerfile(strings.Replace(goodDockerfile, tt.old, tt.new, 1), gomod)
			if tt.want == "" {
				if len(got) != 0 {
					t.Errorf("checkDockerfile() = %q, want no problem", got)
				}
				return
			}
			if !slices.ContainsFunc(got, func(problem string) bool { return strings.Contains(problem, tt.want) }) {
				t.Errorf("checkDockerfile() = %q, want a problem that names %q", got, tt.want)
			}
		})
	}
}

func parseDockerfile(text string) []instruction {
	var all []instruction
	open := false // the last instruction continues
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		rest, more := strings.CutSuffix(line, `\`)
		if open {
			all[len(all)-1].args += " " + strings.TrimSpace(rest)
		} else {
			word, args, _ := strings.Cut(rest, " ")
			all = append(all, instruction{i + 1, word, strings.TrimSpace(args)})
		}
		open = more
	}
	return all
}

var (
	// a base is scratch, or an image with a tag.
	pinned = regexp.MustCompile(`^(scratch|[a-z0-9./-]+:[a-z0-9.-]+(@sha256:[0-9a-f]{64})?)$`)
	small  = regexp.MustCompile(`^(scratch$|gcr\.io/distroless/static-)`)
	goLine = regexp.MustCompile(`(?m)^go (\d+\.\d+)`)
)

// A stage is what follows one FROM.
type stage struct {
	base, name string
	body       []instruction
}

// stagesOf splits a Dockerfile at its FROMs. Instructions before the first one are left out.
func stagesOf(text string) []stage {
	var stages []stage
	for _, in := range parseDockerfile(text) {
		if fields := strings.Fields(in.args); in.word == "FROM" && len(fields) > 0 {
			stages = append(stages, stage{base: fields[0], name: fields[len(fields)-1]})
		} else if len(stages) > 0 {
			last := &stages[len(stages)-1]
			last.body = append(last.body, in)
		}
	}
	return stages
}

// checkDockerfile returns one sentence per promise the Dockerfile does not keep.
func checkDockerfile(text, gomod string) []string {
	var problems []string
	var known []string // names of the stages so far, the current one last
	for _, in := range parseDockerfile(text) {
		where := fmt.Sprintf("line %d: ", in.line)
		fields := strings.Fields(in.args)
		switch {
		case !slices.Contains(knownWords, in.word):
			problems = append(problems, where+in.word+" is no instruction of ours")
		case len(fields) == 0:
			problems = append(problems, where+in.word+" has no argument")
		case in.word == "FROM":
			known = append(known, fields[len(fields)-1])
		default:
			if from, ok := strings.CutPrefix(fields[0], "--from="); ok && !slices.Contains(known[:max(len(known)-1, 0)], from) {
				problems = append(problems, where+"there is no earlier stage "+from)
			}
		}
	}
	stages := stagesOf(text)
	if len(stages) < 2 {
		return append(problems, "want at least two stages, so that no compiler travels with the binary")
	}
	problems = append(problems, checkBases(stages, gomod)...)
	return append(problems, checkPromises(stages)...)
}

func checkBases(stages []stage, gomod string) []string {
	var problems []string
	release := goLine.FindStringSubmatch(gomod)
	for _, s := range stages {
		if !pinned.MatchString(s.base) || strings.HasSuffix(s.base, ":latest") {
			problems = append(problems, "base image "+s.base+" has no fixed tag")
		}
		if strings.HasPrefix(s.base, "golang:") && (release == nil || !strings.HasPrefix(s.base, "golang:"+release[1]+".")) {
			problems = append(problems, fmt.Sprintf("%s builds a module whose go.mod says %q", s.base, release))
		}
	}
	if last := stages[len(stages)-1]; !small.MatchString(last.base) {
		problems = append(problems, "the last stage stands on "+last.base+", want scratch or distroless/static")
	}
	return problems
}

func checkPromises(stages []stage) []string {
	var build []instruction
	for _, s := range stages[:len(stages)-1] {
		build = append(build, s.body...)
	}
	last := stages[len(stages)-1].body
	promises := []struct {
		in      []instruction
		word    string
		pattern string // what the last instruction of that name must match; of RUN, the last that builds
		why     string
	}{
		{build, "COPY", `^--from=\S+ \S+/web/dist web/dist$`, "the page is built for the binary, not taken from whoever builds"},
		{build, "RUN", `\bCGO_ENABLED=0 `, "the last stage has no C library"},
		{build, "RUN", ` -trimpath `, "the binary does not depend on where it was built"},
		{last, "USER", `^[1-9][0-9]*(:[0-9]+)?$`, "not root, and a number, which Kubernetes can judge"},
		{last, "EXPOSE", `^8080$`, "the documented port"},
		{last, "VOLUME", `^/data$`, "threads outlive the container"},
		{last, "ENV", `\bGATEWAY_STORE_DEFAULT=file:/data/\S+$`, "the file is in the volume, and both GATEWAY_STORE and REDIS_URL say otherwise"},
		{last, "COPY", `^--from=\S+ --chown=65532:65532 \S+ /$`, "the volume is the user's, who is not root"},
		{last, "ENTRYPOINT", `^\["/gateway"\]$`, "no shell, so signals reach the gateway; no flags, so settings decide"},
		{last, "LABEL", `\bimage\.version="\$VERSION" .*\bimage\.revision="\$COMMIT"`, "an image says what it was built from, as OCI's annotations do"},
		{build, "RUN", `\bmain\.release=\$VERSION -X main\.commit=\$COMMIT `, "the binary says it, too"},
		{last, "HEALTHCHECK", `CMD \["/gateway", ?"healthcheck"\]$`, "there is no shell to run another form"},
	}
	var problems []string
	for _, p := range promises {
		value := ""
		for _, in := range p.in {
			if in.word == p.word && (p.word != "RUN" || strings.Contains(in.args, "go build")) {
				value = in.args
			}
		}
		if !regexp.MustCompile(p.pattern).MatchString(value) {
			problems = append(problems, fmt.Sprintf("%s is %q, want %s: %s", p.word, value, p.pattern, p.why))
		}
	}
	for _, in := range last {
		if strings.Contains(in.args, "GATEWAY_AUTH") || strings.Contains(in.args, "-auth") {
			problems = append(problems, fmt.Sprintf("line %d: %s sets -auth (GATEWAY_AUTH): whoever runs the image says who may call", in.line, in.word))
		}
	}
	return problems
}
