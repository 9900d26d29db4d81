import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { CertificatePlaces } from '../ports/certificates/files/file-certificates.js'
import { port, text } from './parsers.js'
import { InvalidSetting, optional, type Values } from './setting.js'

/** The absolute path of an existing file or directory. */
function existingPath(text: string): string {
  const path = resolve(text)
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isFile() !== true && found?.isDirectory() !== true)
    throw new InvalidSetting('must name a file or a directory that exists')
  return path
}

export const tlsSettings = {
  port: optional('SVC_TLS_PORT', 'The port for HTTPS, usually 443; SVC_PORT goes on to serve plain HTTP', {
    type: port({ min: 0 }),
    default: 'off',
  }),
  certificates: optional(
    'SVC_TLS_CERT',
    'The certificate with its chain in PEM, or a directory with several; changed files are loaded without a restart',
    { type: text('<path>', existingPath), default: 'none' },
  ),
  keys: optional('SVC_TLS_KEY', 'The private key of the certificate in PEM, or a directory with several', {
    type: text('<path>', existingPath),
    default: 'the path of SVC_TLS_CERT',
  }),
  redirectPort: optional('SVC_HTTP_PORT', 'The port that redirects HTTP to HTTPS; 0 for none', {
    type: port({ min: 0 }),
    default: '80 with SVC_TLS_PORT',
  }),
}

/** How svc ends TLS itself. */
export interface TlsConfig {
  readonly port: number
  /** An origin with https. */
  readonly publicUrl: string
  /** Undefined without redirects. */
  readonly redirectPort: number | undefined
  /** Undefined if svc orders all certificates itself. */
  readonly files: CertificatePlaces | undefined
}

/** Where the certificates in files are; undefined without any. */
export const placesOf = ({
  certificates,
  keys,
}: Pick<Values<typeof tlsSettings>, 'certificates' | 'keys'>): CertificatePlaces | undefined =>
  certificates === undefined ? undefined : { certificates, keys: keys ?? certificates }

const httpPort = 80
const httpsPort = 443

/**
 * @param orders whether svc orders certificates: then it ends TLS on port 443 by default
 * @param refuse reports settings that do not fit together
 * @returns undefined if svc does not end TLS itself
 */
export function tlsOf(
  { port: given, certificates, keys, redirectPort }: Values<typeof tlsSettings>,
  { publicUrl, orders }: { readonly publicUrl: string | undefined; readonly orders: boolean },
  refuse: (problem: string) => void,
): TlsConfig | undefined {
  const port = given ?? (orders ? httpsPort : undefined)
  if (port === undefined) {
    const others = {
      SVC_TLS_CERT: certificates,
      SVC_TLS_KEY: keys,
      SVC_HTTP_PORT: redirectPort === 0 ? undefined : redirectPort,
    }
    const [without] = Object.entries(others).find(([, value]) => value !== undefined) ?? []
    if (without !== undefined)
      refuse(`${without} is set, but SVC_TLS_PORT is not: set it to the port for HTTPS, usually 443.`)
    return undefined
  }
  if (certificates === undefined && !orders)
    refuse('SVC_TLS_PORT is set, but SVC_TLS_CERT is not: set it to a certificate, or SVC_ACME to on to order one.')
  if (publicUrl?.startsWith('https:') !== true)
    refuse(
      'svc ends TLS itself, so links and cookies need a public URL with https: set SVC_PUBLIC_URL, such as https://api.example.com.',
    )
  return {
    port,
    publicUrl: publicUrl ?? '',
    redirectPort: redirectPort === 0 ? undefined : (redirectPort ?? httpPort),
    files: placesOf({ certificates, keys }),
  }
}
