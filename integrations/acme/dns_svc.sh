#!/usr/bin/env sh
# acme.sh's plugin for svc: acme.sh --issue --dns dns_svc -d example.com -d '*.example.com'. See README.md.
# shellcheck disable=SC2034
dns_svc_info='svc, a self-hosted Platform API
Options:
 SVC_URL Address of the API, such as https://api.example.com
 SVC_TOKEN API token with the scope dns:write
'

_svc_ttl=60

# Usage: dns_svc_add _acme-challenge.www.example.com "value"
dns_svc_add() {
  _svc_begin "$1" || return 1
  _info "Adding $1 to the zone $_svc_zone"
  _svc_record="{\"type\":\"TXT\",\"host\":\"$_svc_host\",\"value\":\"$2\",\"ttl\":$_svc_ttl}"
  _svc_call POST "/v1/dns/zones/$_svc_zone/records" "$_svc_record"
}

# Removes this value; other values at the same name stay. Usage: dns_svc_rm _acme-challenge.www.example.com "value"
dns_svc_rm() {
  _svc_begin "$1" || return 1
  _info "Removing $1 from the zone $_svc_zone"
  _svc_call GET "/v1/dns/zones/$_svc_zone/records?type=TXT" || return 1
  # One record per line. Quotation marks in texts are escaped, so that no text looks like a key.
  _svc_id=$(
    printf '%s\n' "$_svc_answer" | tr '{' '\n' | grep -F -e "\"host\":\"$_svc_host\"" | grep -F -e "\"value\":\"$2\"" |
      sed -n 's/.*"id":\([0-9][0-9]*\).*/\1/p'
  )
  if [ -z "$_svc_id" ]; then
    _info "The record does not exist any more"
    return 0
  fi
  # With a body, because _post sends an empty one as a form.
  _svc_call DELETE "/v1/dns/zones/$_svc_zone/records/$_svc_id" '{}'
}

# Reads the settings, stores them for renewals after the first successful call, and finds the zone of a name. Sets
# _svc_zone, and _svc_host relative to it.
_svc_begin() {
  SVC_URL="${SVC_URL:-$(_readaccountconf_mutable SVC_URL)}"
  SVC_TOKEN="${SVC_TOKEN:-$(_readaccountconf_mutable SVC_TOKEN)}"
  if [ -z "$SVC_URL" ] || [ -z "$SVC_TOKEN" ]; then
    _err 'Set SVC_URL, such as https://api.example.com, and SVC_TOKEN, a token with the scope dns:write.'
    return 1
  fi
  _svc_call GET '/v1/dns/zones?status=verified' || return 1
  _saveaccountconf_mutable SVC_URL "$SVC_URL"
  _saveaccountconf_mutable SVC_TOKEN "$SVC_TOKEN"

  _svc_name=$(printf '%s' "${1%.}" | tr '[:upper:]' '[:lower:]')
  _svc_zones=$(printf '%s\n' "$_svc_answer" | tr '{,' '\n\n' | sed -n 's/^ *"zone":"\([^"]*\)".*/\1/p')
  _svc_zone=$_svc_name
  until printf '%s\n' "$_svc_zones" | grep -qxF -e "$_svc_zone"; do
    case $_svc_zone in
      *.*) _svc_zone=${_svc_zone#*.} ;;
      *)
        _err "This account has no verified zone for $_svc_name: claim the zone first, or use the token of the account that has it."
        return 1
        ;;
    esac
  done
  _svc_host=${_svc_name%".$_svc_zone"}
  [ "$_svc_name" != "$_svc_zone" ] || _svc_host=@
  _debug _svc_zone "$_svc_zone"
}

# Calls the API. Sets _svc_answer, without blanks around colons (PostgreSQL adds them). Usage: _svc_call METHOD PATH [BODY]
_svc_call() {
  export _H1="Authorization: Bearer $SVC_TOKEN"
  if [ "$1" = GET ]; then
    _svc_answer=$(_get "${SVC_URL%/}$2")
  else
    _svc_answer=$(_post "$3" "${SVC_URL%/}$2" '' "$1" application/json)
  fi
  _svc_reached=$?
  _svc_answer=$(printf '%s\n' "$_svc_answer" | sed 's/" *: */":/g')
  _debug _svc_answer "$_svc_answer"
  case $_svc_answer in
    *'"success":true'*) return 0 ;;
    *'"message":"'*) _err "$1 $2: $(printf '%s\n' "$_svc_answer" | sed 's/.*"message":"//; s/"[,}].*//')" ;;
    *) _err "$1 $2: $SVC_URL gave no answer of the API ($_svc_reached)" ;;
  esac
  return 1
}
