/** Where certificate authorities ask for http-01 (RFC 8555, section 8.3): the path before the token. */
export const acmeChallengePath = '/.well-known/acme-challenge/'
