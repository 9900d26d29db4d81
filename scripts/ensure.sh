#!/usr/bin/env bash
# Prints where each program is. What is missing is installed from Debian's packages by root; anybody else is told what to type.
# Usage: scripts/ensure.sh postgres chromium
set -euo pipefail
shopt -s nullglob

packages_of() {
  case $1 in
    postgres | psql) echo postgresql ;;
    dig) echo bind9-dnsutils ;;
    pdns_server) echo pdns-server pdns-backend-sqlite3 ;;
    ip) echo iproute2 ;;
    knotd) echo knot ;;
    named | named-checkzone) echo bind9 bind9-utils ;;
    *) echo "$1" ;;
  esac
}

# Debian keeps PostgreSQL's programs out of the PATH; the newest version wins.
for folder in /usr/sbin /usr/lib/postgresql/*/bin; do PATH=$folder:$PATH; done

missing=()
for program in "$@"; do
  command -v "$program" >/dev/null && continue
  read -ra packages <<<"$(packages_of "$program")"
  missing+=("${packages[@]}")
done

install() {
  export DEBIAN_FRONTEND=noninteractive
  # Debian starts a daemon as soon as it is installed, unless this policy says no: the tests start their own.
  local policy=/usr/sbin/policy-rc.d
  if [ ! -e $policy ]; then
    trap "rm -f $policy" EXIT
    printf '#!/bin/sh\nexit 101\n' >$policy
    chmod +x $policy
  fi
  apt-get update -q && apt-get install -qy --no-install-recommends "$@"
}

if [ ${#missing[@]} -gt 0 ]; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    # One at a time: test files run in parallel.
    (flock 9 && install "${missing[@]}") 9>/tmp/svc-ensure.lock >&2
  else
    echo "Missing for the tests. Type: sudo apt-get install -y --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
fi

hash -r
for program in "$@"; do command -v "$program"; done
