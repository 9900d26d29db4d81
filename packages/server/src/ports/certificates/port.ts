/** The texts of a certificate for OpenSSL. */
export interface Pem {
  /** The certificate of the names first. */
  readonly chain: string
  /** The private key, without a password. */
  readonly key: string
}

/** A certificate with its private key, as it is served. Times are milliseconds since the epoch. */
export interface Certificate {
  /** The names that it is for, in lower case: host names, `*.` and a domain, or IP addresses. */
  readonly names: readonly string[]
  readonly validUntil: number
  /**
   * When the first certificate for these names became valid: renewals keep it. A day later, browsers are told to use https only.
   */
  readonly since: number
  /** Whether it was ordered for an account. Otherwise it is the operator's. */
  readonly isOfAccount: boolean
  /** Whether svc has ordered it, but does not renew it any more: it is served until it expires, and not missed then. */
  readonly isEnding: boolean
  /** Checks it at the first call. One that cannot be used is no longer found in its source. */
  readonly isUsable: () => boolean
  /** Of one that is usable. */
  readonly pem: () => Pem
}

export const isExpired = ({ validUntil }: Pick<Certificate, 'validUntil'>): boolean => validUntil <= Date.now()

/** @param removed certificates that are no longer served */
export type CertificateListener = (removed: readonly Certificate[]) => void

/** Where the certificates of the TLS listener come from. All are in memory. */
export interface CertificateSource {
  /** @param name a host name in lower case without a trailing dot, or an IP address @returns the certificate for exactly this name, or the wildcard certificate one label above; an expired one only without a valid one */
  readonly find: (name: string) => Certificate | undefined
  /** All certificates, in no order. */
  readonly all: () => Iterable<Certificate>
  /** Calls back after each change. @returns a function that ends this */
  readonly onChange: (listener: CertificateListener) => () => void
}

/** A certificate that is presented once, for a challenge. */
export type ChallengeCertificate = Pem

/** The open challenges of ACME (RFC 8555, section 8) that are answered at this server's ports. */
export interface OpenChallenges {
  /** http-01: the key authorization of a token; undefined for an unknown one. */
  readonly keyAuthorization: (token: string) => string | undefined | Promise<string | undefined>
  /** tls-alpn-01 (RFC 8737): the certificate for a name; undefined without a challenge. */
  readonly certificateOf: (name: string) => ChallengeCertificate | undefined | Promise<ChallengeCertificate | undefined>
}

/** No challenge is open. */
export const noChallenges: OpenChallenges = { keyAuthorization: () => undefined, certificateOf: () => undefined }

/** The certificate for a name in a source: the first one that can be used. */
export function findUsable({ find }: Pick<CertificateSource, 'find'>, name: string): Certificate | undefined {
  let certificate = find(name)
  while (certificate?.isUsable() === false) {
    const next = find(name)
    certificate = next === certificate ? undefined : next
  }
  return certificate
}
