#!/bin/sh
# Adds or removes one TXT record through the API of svc: svc-txt.sh add|remove NAME VALUE
#
# SVC_URL and SVC_TOKEN come from the environment. Without SVC_TOKEN, they come from svc.env beside this script, because renewals
# run without the environment of the first run. Other values at the same name stay.
set -eu

ttl=60
newline='
'

# Prints printable ASCII only: the text of a server must not control the terminal. Not echo, which in some shells reads \033 as an escape.
fail() {
  printf 'svc: %s\n' "$*" | LC_ALL=C tr -cd '\n\040-\176' >&2
  exit 1
}

# call METHOD PATH [BODY]: sets $answer, without blanks around colons (PostgreSQL adds them), or exits with an error.
call() {
  method=$1 path=$2
  set -- ${3+--header 'Content-Type: application/json' --data "$3"}
  # The token is passed on stdin: other users of the machine can see arguments.
  answer=$(
    printf 'header = "Authorization: Bearer %s"\n' "$SVC_TOKEN" |
      curl --silent --show-error --no-location --max-time 30 --config - --request "$method" "$@" \
        --write-out '\n%{http_code}' "${SVC_URL%/}$path"
  ) || fail "$SVC_URL cannot be reached"
  status=${answer##*"$newline"}
  answer=$(printf '%s\n' "${answer%"$newline"*}" | sed 's/" *: */":/g')
  [ "$status" = 200 ] || fail "$method $path: $status $(printf '%s\n' "$answer" | sed 's/.*"message":"//; s/"[,}].*//')"
}

# Finds the verified zone of the name: sets $zone, and $host relative to it.
find_zone() {
  call GET '/v1/dns/zones?status=verified'
  zones=$(printf '%s\n' "$answer" | tr '{,' '\n\n' | sed -n 's/^ *"zone":"\([^"]*\)".*/\1/p')
  zone=$name
  until printf '%s\n' "$zones" | grep -qxF -e "$zone"; do
    case $zone in
      *.*) zone=${zone#*.} ;;
      *) fail "this account has no verified zone for $name: claim the zone first, or use the token of the account that has it" ;;
    esac
  done
  host=${name%".$zone"}
  [ "$name" != "$zone" ] || host=@
}

add() {
  call POST "/v1/dns/zones/$zone/records" "{\"type\":\"TXT\",\"host\":\"$host\",\"value\":\"$value\",\"ttl\":$ttl}"
  # Waits for nameservers that get the record later than the API: secondaries, other sites of a provider.
  sleep "${SVC_WAIT:-0}"
}

# One record per line. Quotation marks in texts are escaped, so that no text looks like a key.
remove() {
  call GET "/v1/dns/zones/$zone/records?type=TXT"
  id=$(
    printf '%s\n' "$answer" | tr '{' '\n' | grep -F -e "\"host\":\"$host\"" | grep -F -e "\"value\":\"$value\"" |
      sed -n 's/.*"id":\([0-9][0-9]*\).*/\1/p'
  )
  # An interrupted run may have removed it already.
  [ -n "$id" ] || return 0
  call DELETE "/v1/dns/zones/$zone/records/$id"
}

[ $# -eq 3 ] || fail "usage: svc-txt.sh add|remove NAME VALUE"
here=$(dirname "$0")
# shellcheck source=/dev/null
[ -n "${SVC_TOKEN-}" ] || [ ! -r "$here/svc.env" ] || . "$here/svc.env"
[ -n "${SVC_URL-}" ] || fail 'set SVC_URL, such as https://api.example.com'
[ -n "${SVC_TOKEN-}" ] || fail 'set SVC_TOKEN to a token with the scope dns:write'

name=$(printf '%s' "${2%.}" | tr '[:upper:]' '[:lower:]')
value=$3
case $name$value in
  *[!A-Za-z0-9._*+/=-]*) fail "name or value contain characters that ACME challenges do not have: $2 $3" ;;
esac
case $1 in
  add | remove)
    find_zone
    "$1"
    ;;
  *) fail "the first argument must be add or remove, not $1" ;;
esac
