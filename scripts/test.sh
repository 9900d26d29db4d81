#!/usr/bin/env bash
# Installs the programs that the tests need, then runs the checks beside all tests. The last line counts the tests.
# Vitest gets the arguments. `npm test -- --shard 1/3` runs a third of the tests; the first shard runs the checks. Only a run without
# arguments measures the coverage.
set -euo pipefail
cd "$(dirname "$0")/.."
# The Node.js that npm ci has installed, before that of the machine. SVC_TEST_NODE is the folder of another one.
export PATH=${SVC_TEST_NODE:+$SVC_TEST_NODE:}$PWD/node_modules/.bin:$PATH

scripts/ensure.sh postgres psql pgbouncer chromium chromium-headless-shell dig pdns_server varnishd sqlite3 named-checkzone pebble lego certbot certbot-dns-rfc2136 dehydrated kea-dhcp-ddns nsupdate knsupdate knotd openssl curl memcached bearerbox fakesmsc swift-proxy-server nginx caddy unbound nsd named smtpd ddclient inadyn
# The tests start the build.
npm run build
node_modules/typescript-native/bin/tsc -b .

# Databases and data directories of the tests are in memory, if it has room: the file system took a tenth of the CPU time.
gigabytes_free=$(df --output=avail --block-size=1G /dev/shm 2>/dev/null | tail -n 1) || true
if ((${gigabytes_free:-0} >= 8)); then export TMPDIR=/dev/shm; fi
temporary=$(mktemp -d)
# The servers that run as another user reach their folders in it.
chmod 711 "$temporary"
export TMPDIR=$temporary
running=()
end() {
  # Each is the leader of a process group, because of `set -m`.
  for pid in "${running[@]}"; do kill -- "-$pid" 2>/dev/null || true; done
  rm -rf "$temporary"
}
trap end EXIT
set -m

# Runs vitest on these projects. @param name of the report, then the arguments of vitest
run_tests() {
  vitest run --reporter=default --reporter=json --outputFile.json="$temporary/report-$1" "${@:2}" </dev/null
}

# Coverage only where the tests of the covered code are: it takes a sixth of their CPU time.
all_tests() {
  local status=0 coverage=(--coverage)
  (($# == 0)) || coverage=()
  run_tests packages --project packages "${coverage[@]}" "$@" || status=$?
  run_tests others --project e2e --project hostile --project event-loop "$@" || status=$?
  return $status
}

all_checks() {
  case "$*" in
    *--shard[\ =]1/* | '') ;;
    *--shard*) return ;;
  esac
  scripts/check.sh
}

all_checks "$@" >"$temporary/checks" 2>&1 &
checks=$!
all_tests "$@" &
tests=$!
running=("$checks" "$tests")

# Tests take minutes: a failed check ends them.
wait "$checks" || {
  cat "$temporary/checks"
  exit 1
}
status=0
wait "$tests" || status=$?
cat "$temporary/checks"
node scripts/test-summary.js "$temporary"/report-* || status=1
exit $status
