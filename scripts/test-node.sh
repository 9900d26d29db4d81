#!/usr/bin/env bash
# Runs the tests on another version of Node.js: scripts/test-node.sh 22, or 26. Vitest gets the other arguments. The checks, and programs
# that npm starts, still run on the version that npm ci has installed.
set -euo pipefail
cd "$(dirname "$0")/.."
node=$(scripts/ensure-node.sh "$1")
SVC_TEST_NODE=$(dirname "$node") scripts/test.sh "${@:2}"
