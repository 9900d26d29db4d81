#!/bin/sh
# lego's EXEC_PATH: lego-exec.sh present|cleanup FQDN VALUE. See README.md.
set -eu
case ${1-} in
  present) action=add ;;
  cleanup) action=remove ;;
  *)
    echo "svc: the first argument must be present or cleanup, not \"${1-}\"" >&2
    exit 1
    ;;
esac
if [ $# -ne 3 ]; then
  echo 'svc: EXEC_MODE=RAW is not supported: leave EXEC_MODE unset' >&2
  exit 1
fi
exec "$(dirname "$0")/svc-txt.sh" "$action" "$2" "$3"
