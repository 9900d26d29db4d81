#!/usr/bin/env bash
# Runs all checks that are not tests, at the same time. Those that read the build wait for the types. If the types are right, all
# checks report.
set -euo pipefail
cd "$(dirname "$0")/.."
# The Node.js that npm ci has installed, before that of the machine.
export PATH=$PWD/node_modules/.bin:$PATH

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

outputs=$(mktemp -d)
started=()
end() {
  # Each is the leader of a process group, because of `set -m`.
  for pid in "${started[@]}"; do kill -- "-$pid" 2>/dev/null || true; done
  rm -rf "$outputs"
}
trap end EXIT
set -m

# Its output waits in a file until `finish`, so that the outputs do not mix.
begin() {
  step "$@" >"$outputs/${#started[@]}" 2>&1 &
  started+=($!)
}

finish() {
  local status=0
  for i in "${!started[@]}"; do
    wait "${started[i]}" || status=1
    cat "$outputs/$i"
  done
  return $status
}

# URLs in a lock file would tie every install to one registry.
no_hosts_in_locks() { ! git grep -nE '"resolved": "[a-z+]+:' -- '*package-lock.json'; }

begin 'no download hosts in lock files' no_hosts_in_locks
begin 'lint' npx oxlint --deny-warnings --report-unused-disable-directives .
begin 'format (fix: npm run format)' npx oxfmt --check .
step 'types' node_modules/typescript-native/bin/tsc -b packages/* .
begin 'generated files (fix: npm run generate)' node packages/server/dist/generate/main.js --check
begin 'unused files, exports and dependencies' npx knip --no-progress
finish
