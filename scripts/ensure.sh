#!/usr/bin/env bash
# Prints the path of each program. Root installs missing ones from Debian's packages; other users get the command to run.
# Usage: scripts/ensure.sh postgres chromium
set -euo pipefail
shopt -s nullglob

packages_of() {
  case $1 in
    postgres | psql) echo postgresql ;;
    dig | nsupdate) echo bind9-dnsutils ;;
    kdig | knsupdate) echo knot-dnsutils ;;
    kea-dhcp-ddns) echo kea-dhcp-ddns-server ;;
    certbot-dns-rfc2136) echo python3-certbot-dns-rfc2136 ;;
    varnishd | varnishncsa) echo varnish varnish-modules ;;
    pdns_server) echo pdns-server pdns-backend-sqlite3 ;;
    ip) echo iproute2 ;;
    certutil) echo libnss3-tools ;;
    knotd) echo knot ;;
    smtpd) echo opensmtpd ;;
    bearerbox | smsbox | fakesmsc) echo kannel kannel-extras ;;
    swift-*) echo swift swift-proxy swift-account swift-container swift-object ;;
    named | named-checkzone) echo bind9 bind9-utils ;;
    *) echo "$1" ;;
  esac
}

# Debian's PostgreSQL programs and Kannel's fakesmsc are not in the PATH. The newest version has precedence.
for folder in /usr/sbin /usr/lib/kannel/test /usr/lib/postgresql/*/bin; do PATH=$folder:$PATH; done

# A plug-in has no program: its package counts.
is_installed() {
  case $1 in
    certbot-dns-rfc2136 | pdns-backend-pgsql)
      [ "$(dpkg-query -W -f '${db:Status-Status}' "$(packages_of "$1")" 2>/dev/null)" = installed ] ;;
    *) command -v "$1" >/dev/null ;;
  esac
}

missing=()
for program in "$@"; do
  is_installed "$program" && continue
  read -ra packages <<<"$(packages_of "$program")"
  missing+=("${packages[@]}")
done

install() {
  export DEBIAN_FRONTEND=noninteractive
  # Debian starts installed daemons unless this policy forbids it. The tests start their own.
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
    echo "Programs for the tests are missing. Run: sudo apt-get install -y --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
fi

hash -r
for program in "$@"; do
  is_installed "$program"
  command -v "$program" || echo "$program"
done
