# The gateway as one static binary that runs as nobody in particular.
#
# The image listens on every interface of its container, and the gateway starts on a public address only if it was told
# how callers prove who they are. So the image names no -auth on purpose: without it the gateway stops at once and says so.
# The example below has `none`, which lets in all that reach the port: publish it on your own machine's loopback, or use keys, jwt or header.
#
# Threads are kept in a file in the volume /data, unless -store says otherwise. One gateway at a time can have the file.
#
# It writes nowhere else, so that the rest may be read-only.
#
#   docker build -t agui-gateway --build-arg VERSION=v1.2.3 --build-arg COMMIT=$(git rev-parse HEAD) .
#   docker run --read-only --cap-drop ALL -p 127.0.0.1:8080:8080 -e GATEWAY_AUTH=none -v agui-gateway:/data agui-gateway
#
# docs/deploy.md says more.

FROM node:20.20.2-bookworm-slim AS page
WORKDIR /src/web
COPY web/package.json web/package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY web .
COPY clients/js /src/clients/js
RUN npm run --silent build

FROM golang:1.26.8-bookworm AS build
WORKDIR /src
# The modules change seldom: in a layer of their own they are downloaded once.
COPY go.mod go.sum ./
RUN go mod download
COPY . .
COPY --from=page /src/web/dist web/dist
# What `gateway version` says. The context has no git history that could tell.
ARG VERSION COMMIT DATE
RUN CGO_ENABLED=0 go build -trimpath -tags grpcnotrace -ldflags="-s -w -X main.release=$VERSION -X main.commit=$COMMIT -X main.date=$DATE" -o bin/gateway ./cmd/gateway && mkdir -p volume/data

# static: certificates for TLS to models and stores, time zones, an unprivileged user, no shell.
FROM gcr.io/distroless/static-debian12:nonroot
ARG VERSION COMMIT DATE
LABEL org.opencontainers.image.title="agui-gateway" \
      org.opencontainers.image.description="A team of agents behind an AG-UI endpoint" \
      org.opencontainers.image.source="https://github.com/agui-gateway/gateway" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$COMMIT" \
      org.opencontainers.image.created="$DATE"
COPY --from=build /src/bin/gateway /gateway
# A new volume gets the owner of the directory it stands in for.
COPY --from=build --chown=65532:65532 /src/volume /
ENV GATEWAY_ADDR=0.0.0.0:8080 GATEWAY_STORE_DEFAULT=file:/data/threads.db
VOLUME /data
EXPOSE 8080
# A number, because Kubernetes' runAsNonRoot cannot judge a name.
USER 65532:65532
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 CMD ["/gateway", "healthcheck"]
ENTRYPOINT ["/gateway"]
CMD ["serve"]
