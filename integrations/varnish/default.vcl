# Varnish in front of svc: caches share links, passes everything else. See README.md.
vcl 4.1;

import purge;
import std;
import var;
import xkey;

# The address of svc.
backend default {
  .host = "127.0.0.1";
  .port = "8080";
}

# Where svc purges from. Add its address if it runs on another machine.
acl purgers {
  "127.0.0.1";
  "::1";
}

sub vcl_recv {
  if (req.method == "PURGE") {
    # X-Forwarded-For has the client first. More than one address: a proxy on this machine has passed on a request from outside.
    if (client.ip !~ purgers || req.http.X-Forwarded-For ~ ",") {
      return (synth(403));
    }
    if (!req.http.xkey-purge || req.http.svc-slot !~ "^\d{1,3}$" || req.http.svc-purge !~ "^[0-9a-f-]{36}$") {
      return (synth(400));
    }
    # In this order. Why it matters is in README.md, "Why a purge is final".
    var.global_set("purge", req.http.svc-purge);
    var.global_set("purge-" + req.http.svc-slot, req.http.svc-purge);
    set req.http.svc-purged = xkey.purge(req.http.xkey-purge);
    return (synth(200, "Purged"));
  }

  # Otherwise Varnish reads a file as fast as svc sends it, and holds in memory what a slow client has not taken.
  if (req.url ~ "^/(v1|console/api)/files/download(\?|$)" && req.proto != "HTTP/2.0") {
    return (pipe);
  }
  if ((req.method != "GET" && req.method != "HEAD") || req.http.Host !~ "(?i)^content\.") {
    return (pass);
  }
  # A key can be percent-encoded in many ways. Only one of them is cached.
  if (req.url !~ "^/s/[A-Za-z0-9_-]{22}/[^/?]*(\?|$)") {
    return (pass);
  }
  # Varnish does not evaluate these conditions, and would join parts of two versions.
  if (req.http.If-Match || req.http.If-Unmodified-Since) {
    return (pass);
  }
  # The answer depends on the key alone.
  set req.url = regsub(req.url, "\?.*$", "");
  set req.http.Host = std.tolower(req.http.Host);
  unset req.http.Cookie;
  unset req.http.Authorization;
  return (hash);
}

sub vcl_hash {
  # svc ignores the name in a share link, the port and the final dot of the host. With them in the hash, one client could fill the
  # cache with copies of one file.
  hash_data(regsub(req.url, "^(/s/[^/]+)/.*$", "\1"));
  hash_data(regsub(req.http.Host, "\.?(:\d*)?$", ""));
  return (lookup);
}

sub vcl_backend_fetch {
  if (!bereq.uncacheable) {
    # Before svc decides what to answer.
    set bereq.http.svc-token = "t" + var.global_get("purge");
  }
}

sub vcl_backend_response {
  set beresp.grace = 0s;
  set beresp.keep = 0s;
  if (bereq.uncacheable) {
    return (deliver);
  }
  if (beresp.status != 200 || !beresp.http.xkey) {
    # For this time, requests for this link do not wait for each other. Varnish keeps an object for it, so that a longer time would let
    # requests for unknown links fill the memory.
    set beresp.uncacheable = true;
    set beresp.ttl = 1s;
    return (deliver);
  }
  # Not for the cache, or larger than 1/16 of it: sent to each client from svc, with its Range.
  if (beresp.ttl <= 0s || std.integer(beresp.http.Content-Length, 0) > 16777216) {
    return (pass(120s));
  }
  # The token of the slot first, then the token of all purges.
  set beresp.http.svc-token = "t" + var.global_get("purge-" + beresp.http.svc-slot);
  if (bereq.http.svc-token != "t" + var.global_get("purge")) {
    # A purge came during the fetch. This answer may be from before it.
    set beresp.uncacheable = true;
    set beresp.ttl = 1s;
  }
  return (deliver);
}

sub vcl_backend_error {
  set beresp.uncacheable = true;
  set beresp.ttl = 0s;
  set beresp.http.Content-Type = "text/plain; charset=utf-8";
  set beresp.body = "The server does not answer.";
  return (deliver);
}

sub vcl_hit {
  if (obj.http.svc-token != "t" + var.global_get("purge-" + obj.http.svc-slot)) {
    purge.hard();
    return (restart);
  }
}

sub vcl_deliver {
  if (resp.http.xkey) {
    # For browsers and other caches, which cannot be purged: ask before each use.
    set resp.http.Cache-Control = "max-age=0, must-revalidate";
    unset resp.http.xkey;
    unset resp.http.svc-slot;
    unset resp.http.svc-token;
    unset resp.http.Age;
  }
}

sub vcl_synth {
  if (req.method == "PURGE" && resp.status == 200) {
    set resp.http.Content-Type = "text/plain; charset=utf-8";
    synthetic("purged " + req.http.svc-purge);
    return (deliver);
  }
}
