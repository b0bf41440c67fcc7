#!/usr/bin/env bash
# Installs the npm package of basement.fun into a directory, with what its client and its types need and nothing of its
# server's dependencies. No script of any package is run.
set -euo pipefail
directory=${1:?usage: install-basement-package.sh <directory>}
version=0.0.11
mkdir -p "$directory"
cd "$directory"
printf '{"private":true}\n' >package.json
npm install --ignore-scripts --no-audit --no-fund --no-save \
  @feathersjs/authentication-client@5 @feathersjs/feathers@5 @feathersjs/mongodb@5 @feathersjs/schema@5 \
  @feathersjs/typebox@5 @sinclair/typebox@0.25 strict-event-emitter@0.5
archive=$(npm pack --silent "@b3dotfun/basement-api@$version")
mkdir -p node_modules/@b3dotfun/basement-api
tar xzf "$archive" -C node_modules/@b3dotfun/basement-api --strip-components=1
rm "$archive"
