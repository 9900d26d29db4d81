#!/usr/bin/env bash
# Repeats the hostile suite and the random inputs with new seeds for SVC_TEST_MINUTES (default 30). A failing round prints its seed.
set -euo pipefail
cd "$(dirname "$0")/.."
# The Node.js that npm ci has installed, before that of the machine.
export PATH=$PWD/node_modules/.bin:$PATH

npm run build
end=$((SECONDS + ${SVC_TEST_MINUTES:-30} * 60))
round=0
while [ "$SECONDS" -lt "$end" ]; do
  round=$((round + 1))
  seed=${SVC_TEST_SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
  echo "== round $round, seed $seed"
  export SVC_TEST_LONG=1 SVC_TEST_SEED=$seed
  { vitest run --project hostile --project event-loop && vitest run --project packages packages/server/test/fuzz random-histories random-packets random-updates; } || {
    echo "test:long: round $round failed; repeat it with SVC_TEST_SEED=$seed npm run test:long" >&2
    exit 1
  }
done
echo "test:long: $round rounds passed"
