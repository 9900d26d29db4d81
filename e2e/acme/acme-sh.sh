#!/bin/sh
# Stands in for acme.sh 3: provides the functions that dns_svc.sh uses, and sends requests as acme.sh does.
# Usage: acme-sh.sh FUNCTION FULLDOMAIN VALUE, with the settings file in ACCOUNT_CONF.
set -u

_info() { echo "$*"; }
_err() { echo "$*" >&2; }
_debug() { :; }

_readaccountconf_mutable() { sed -n "s/^SAVED_$1='\(.*\)'\$/\1/p" "$ACCOUNT_CONF"; }
_saveaccountconf_mutable() {
  sed -i "/^SAVED_$1=/d" "$ACCOUNT_CONF"
  echo "SAVED_$1='$2'" >>"$ACCOUNT_CONF"
}

# url
_get() { curl --silent -L --user-agent acme.sh -H "$_H1" "$1"; }

# body url needbase64 httpmethod contenttype
_post() {
  if [ "${5:-}" ]; then
    curl --silent -L --user-agent acme.sh -X "${4:-POST}" -H "Content-Type: $5" -H "$_H1" --data "$1" "$2"
  else
    curl --silent -L --user-agent acme.sh -X "${4:-POST}" -H "$_H1" --data "$1" "$2"
  fi
}

touch "$ACCOUNT_CONF"
# shellcheck source=/dev/null
. "$(dirname "$0")/../../integrations/acme/dns_svc.sh"
"$@"
