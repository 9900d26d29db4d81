#!/bin/sh
# Adds or removes one TXT record through the API of svc: svc-txt.sh add|remove NAME VALUE
#
# SVC_URL and SVC_TOKEN come from the environment or, where there is no SVC_TOKEN, from svc.env beside this script: renewals
# run without the environment of the first time. Other values at the same name stay as they are.
set -eu

ttl=60
newline='
'

# In printable ASCII: what a server says must not command the terminal, and some shells' echo reads \033 as an escape.
fail() {
  printf 'svc: %s\n' "$*" | LC_ALL=C tr -cd '\n\040-\176' >&2
  exit 1
}

# call METHOD PATH [BODY]: sets $answer, without blanks around colons (PostgreSQL puts them there), or ends with what went wrong.
call() {
  method=$1 path=$2
  set -- ${3+--header 'Content-Type: application/json' --data "$3"}
  # The token goes in on stdin: arguments are seen by everybody on the machine.
  answer=$(
    printf 'header = "Authorization: Bearer %s"\n' "$SVC_TOKEN" |
      curl --silent --show-error --no-location --max-time 30 --config - --request "$method" "$@" \
        --write-out '\n%{http_code}' "${SVC_URL%/}$path"
  ) || fail "$SVC_URL cannot be reached"
  status=${answer##*"$newline"}
  answer=$(printf '%s\n' "${answer%"$newline"*}" | sed 's/" *: */":/g')
  [ "$status" = 200 ] || fail "$method $path: $status $(printf '%s\n' "$answer" | sed 's/.*"message":"//; s/"[,}].*//')"
}

# The verified zone that the name lies in: sets $zone, and $host relative to it.
find_zone() {
  call GET '/v1/dns/zones?status=verified'
  zones=$(printf '%s\n' "$answer" | tr '{,' '\n\n' | sed -n 's/^ *"zone":"\([^"]*\)".*/\1/p')
  zone=$name
  until printf '%s\n' "$zones" | grep -qxF -e "$zone"; do
    case $zone in
      *.*) zone=${zone#*.} ;;
      *) fail "no verified zone of this account holds $name: claim it first, and use a token of that account" ;;
    esac
  done
  host=${name%".$zone"}
  [ "$name" != "$zone" ] || host=@
}

add() {
  call POST "/v1/dns/zones/$zone/records" "{\"type\":\"TXT\",\"host\":\"$host\",\"value\":\"$value\",\"ttl\":$ttl}"
  # For nameservers that hear of it later than the API: secondaries, a provider's other sites.
  sleep "${SVC_WAIT:-0}"
}

# One record a line. Quotation marks within texts are escaped, so that no text looks like a key.
remove() {
  call GET "/v1/dns/zones/$zone/records?type=TXT"
  id=$(
    printf '%s\n' "$answer" | tr '{' '\n' | grep -F -e "\"host\":\"$host\"" | grep -F -e "\"value\":\"$value\"" |
      sed -n 's/.*"id":\([0-9][0-9]*\).*/\1/p'
  )
  # It may have been removed already, by a run that was cut short.
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
  *[!A-Za-z0-9._*+/=-]*) fail "the name or the value has characters that no ACME challenge has: $2 $3" ;;
esac
case $1 in
  add | remove)
    find_zone
    "$1"
    ;;
  *) fail "there are add and remove, not $1" ;;
esac
