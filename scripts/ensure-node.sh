#!/usr/bin/env bash
# Prints the path of a version of Node.js in test/nodes, such as 22. Installs these versions if they are missing.
set -euo pipefail
cd "$(dirname "$0")/../test/nodes"

# One at a time: test files run in parallel.
(
  flock 9
  cmp -s package-lock.json node_modules/.installed || {
    npm ci --ignore-scripts --loglevel=error >&2
    cp package-lock.json node_modules/.installed
  }
) 9<package.json

case $(uname -m) in
  aarch64) machine=arm64 ;;
  *) machine=x64 ;;
esac
node=$PWD/node_modules/node-$1-$machine/bin/node
test -x "$node" || {
  echo "test/nodes has no Node.js $1 for this machine." >&2
  exit 1
}
echo "$node"
