#!/bin/sh
# Builds the container image of the checked out release for amd64 and arm64, and pushes it with its SBOM and provenance:
#   src/tools/release/image.sh registry.example/gantry
# Needs Docker with buildx and a builder for both platforms (docker run --privileged --rm tonistiigi/binfmt --install arm64).
set -eu
image=$1
cd "$(dirname "$0")/../../.."
tag=$(git describe --exact-match --tags --match 'v*') || {
  echo 'check out the tag of a release first: git checkout v1.2.0' >&2
  exit 1
}
SOURCE_DATE_EPOCH=$(git show -s --format=%ct HEAD) exec docker buildx build \
  --platform linux/amd64,linux/arm64 --tag "$image:${tag#v}" --tag "$image:latest" \
  --sbom=true --provenance=mode=max --push .
