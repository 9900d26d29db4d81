#!/usr/bin/env bash
# Everything that is checked without running a test. Stops at the first failure.
set -euo pipefail
cd "$(dirname "$0")/.."

step() {
  local name=$1 start=$SECONDS
  shift
  echo "== $name"
  "$@" || {
    echo "check: $name failed" >&2
    exit 1
  }
  echo "   $((SECONDS - start)) s"
}

# Addresses in the lock would tie every install to the registry of whoever wrote it.
no_hosts_in_lock() { ! grep -nE '"resolved": "[a-z+]+:' package-lock.json; }

step 'types' npx tsc -b packages/* .
step 'lint' npx eslint --max-warnings 0 .
step 'format (npm run format mends it)' npx prettier --check --log-level warn .
step 'unused files, exports and dependencies' npx knip --no-progress
step 'generated files (npm run generate mends them)' node packages/server/dist/generate/main.js --check
step 'no download hosts in package-lock.json' no_hosts_in_lock
