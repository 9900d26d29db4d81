import type { NoAnswerError } from '@svc/client'

/** What Node.js reports about a connection, in the cause of the error of `fetch`. */
interface ConnectionError {
  readonly code?: string
  readonly message?: string
  /** Of a certificate for other names. */
  readonly cert?: { readonly subjectaltname?: string }
  readonly socket?: { readonly bytesRead?: number }
}

/** Why the API gave no answer, and what the user of a command can do about it. @param baseUrl of the server, a valid URL */
export function noAnswerText(error: NoAnswerError, baseUrl: string): string {
  const { message, status } = error
  switch (error.reason) {
    case 'redirect':
      return `${message} If so, set --url or SVC_URL to it.`
    case 'timeout':
      return `${message}; --timeout sets a longer time.`
    case 'answer':
      return status === undefined ? message : `${message}. ${otherServerHint(status, new URL(baseUrl))}`
    case 'network': {
      const { cause } = error as { cause?: { cause?: ConnectionError } }
      return networkText(cause?.cause ?? {}, new URL(baseUrl)) ?? message
    }
  }
}

function otherServerHint(status: number, { protocol, host, origin }: URL): string {
  if (status >= 502 && status <= 504)
    return `A proxy answers at ${origin} and cannot reach the API: is svc serve running behind it?`
  if (status === 413)
    return `The proxy at ${origin} refused the size of the request: remove its limit for bodies, in nginx with client_max_body_size 0.`
  if (status === 400 && protocol === 'http:') return `If the server expects TLS, set SVC_URL to https://${host}.`
  return 'Is this another server than svc? Set SVC_URL or --url to the address of svc.'
}

const rightAddress = 'set SVC_URL or --url to the right address'

/** @returns undefined for a connection that broke */
function networkText({ code = '', message = '', cert, socket }: ConnectionError, url: URL): string | undefined {
  const { origin, host, hostname, port, protocol } = url
  // Fetch standard, section 2.9: ports of other protocols. The error has no code.
  if (message === 'bad port') return `Port ${port} is blocked for HTTP: let svc serve use another one, such as 8080.`
  if (code in certificateProblems) return `The certificate of ${origin} ${certificateProblems[code] ?? ''}`
  switch (code) {
    case 'ECONNREFUSED':
      return `Nothing listens at ${origin}: is svc serve running there? If it runs elsewhere, ${rightAddress}.`
    case 'ENOTFOUND':
      return `The host name ${hostname} does not exist: ${rightAddress}.`
    case 'EAI_AGAIN':
      return `The host name ${hostname} cannot be resolved now: check the network and the resolver of this machine.`
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'UND_ERR_CONNECT_TIMEOUT':
      return `${origin} cannot be reached (${code}): check the network and the firewalls, or ${rightAddress}.`
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `The certificate of ${origin} is for ${namesIn(cert)}, not for ${hostname}: ${rightAddress}.`
  }
  if (protocol === 'https:' && isNotTls(code, message))
    return `The server at ${host} does not speak TLS: set SVC_URL or --url to http://${host}.`
  // A server that expects TLS closes the connection, or sends an alert of TLS.
  if (protocol === 'http:' && (code.startsWith('HPE_') || socket?.bytesRead === 0))
    return `${origin} gave no HTTP answer. If the server expects TLS, set SVC_URL or --url to https://${host}.`
  return undefined
}

/** Maximum number of characters of a certificate's names in a message. */
const namesMaxLength = 200

/** `DNS:api.example.com, DNS:*.example.net` */
function namesIn({ subjectaltname: text = 'other names' }: ConnectionError['cert'] = {}): string {
  return text.length > namesMaxLength ? `${text.slice(0, namesMaxLength)}…` : text
}

/** OpenSSL reads the beginning of an HTTP answer as a record of TLS. */
const isNotTls = (code: string, message: string): boolean =>
  code === 'ERR_SSL_WRONG_VERSION_NUMBER' ||
  code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG' ||
  (code === 'EPROTO' && /wrong version number|packet length too long/.test(message))

const unknownAuthority =
  'is not signed by an authority that this machine knows: set NODE_EXTRA_CA_CERTS to a PEM file with the certificate of the authority.'
const selfSigned = 'is self-signed: set NODE_EXTRA_CA_CERTS to a PEM file with this certificate.'

/** By the codes of OpenSSL's verification, which Node.js reports. */
const certificateProblems: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'has expired: renew it on the server, or check the clock of this machine.',
  CERT_NOT_YET_VALID: 'is not valid yet: check the clock of this machine.',
  DEPTH_ZERO_SELF_SIGNED_CERT: selfSigned,
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
}
