#!/usr/bin/env bash
# Runs all checks that are not tests. Stops at the first failure.
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

# URLs in the lock file would tie every install to one registry.
no_hosts_in_lock() { ! grep -nE '"resolved": "[a-z+]+:' package-lock.json; }

step 'types' npx tsc -b packages/* .
step 'lint' npx eslint --max-warnings 0 .
step 'format (fix: npm run format)' npx prettier --check --log-level warn .
step 'unused files, exports and dependencies' npx knip --no-progress
step 'generated files (fix: npm run generate)' node packages/server/dist/generate/main.js --check
step 'no download hosts in package-lock.json' no_hosts_in_lock
