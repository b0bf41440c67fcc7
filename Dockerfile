# Gantry as one executable, on a Debian image without Node. Build it from the repository root:
#   docker build -t gantry .
# For several platforms: src/tools/release/image.sh

FROM debian:bookworm-slim AS base
# Libraries that the Node inside the executable links to; Debian's slim image lacks them.
RUN apt-get update \
 && apt-get install -y --no-install-recommends libatomic1 libstdc++6 \
 && rm -rf /var/lib/apt/lists/*

# On the platform of the builder: executables are built for others without emulating them.
FROM --platform=$BUILDPLATFORM node:24-bookworm-slim AS build
# Any Node that can run npm: the one that Gantry runs on is installed with the packages.
RUN apt-get update \
 && apt-get install -y --no-install-recommends libatomic1 \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json README.md CONTRIBUTING.md CHANGELOG.md ./
COPY public public
COPY src src
ARG TARGETARCH
RUN npm run build:binary -- --target "linux-$(echo "$TARGETARCH" | sed s/amd64/x64/)" \
 && mv dist/gantry* /gantry

FROM base
RUN groupadd --gid 10001 gantry \
 && useradd --uid 10001 --gid gantry --home-dir /data --no-create-home --shell /usr/sbin/nologin gantry \
 && install -d -o gantry -g gantry -m 700 /data /opt/gantry
COPY --from=build /gantry /usr/local/bin/gantry
USER gantry
# SQLite is unpacked here when the image is built, so that the container can run with a read-only root.
ENV TMPDIR=/opt/gantry
RUN DATA_DIR=/opt/gantry/first gantry game create --name First && rm -r /opt/gantry/first
ENV HOST=0.0.0.0 PORT=3000 DATA_DIR=/data GANTRY_DEMO=off
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s --retries=3 CMD ["gantry", "healthcheck"]
ENTRYPOINT ["gantry"]
CMD ["serve"]
