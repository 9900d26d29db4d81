#!/usr/bin/env bash
# Installs the programs that the tests need, runs the checks, then all tests. The last line counts the tests.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/ensure.sh postgres psql chromium dig pdns_server sqlite3 named-checkzone pebble lego certbot openssl curl memcached swift-proxy-server
scripts/check.sh

report=$(mktemp)
trap 'rm -f "$report"' EXIT
status=0
npx vitest run --coverage --reporter=default --reporter=json --outputFile.json="$report" || status=$?
node scripts/test-summary.js "$report" || status=1
exit $status
