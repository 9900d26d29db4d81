import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensure } from '../../../test/servers/index.js'

/** A certificate authority for tests. */
export interface TestAuthority {
  /** Its certificate, in PEM. */
  readonly ca: string
  readonly issue: (names: readonly string[], options?: IssueOptions) => Issued
  /** Removes its files. */
  readonly remove: () => void
}

interface IssueOptions {
  /** Until the end; negative for an expired certificate. */
  readonly days?: number
  /** Of openssl, such as `rsa:2048`. */
  readonly algorithm?: string
}

/** In PEM. */
export interface Issued {
  /** Followed by that of the authority. */
  readonly chain: string
  readonly certificate: string
  readonly key: string
}

const curve = ['-pkeyopt', 'ec_paramgen_curve:P-256']

export function testAuthority(): TestAuthority {
  const folder = mkdtempSync(join(tmpdir(), 'svc-ca-'))
  const path = (name: string) => join(folder, name)
  const read = (name: string) => readFileSync(path(name), 'utf8')
  const openssl = (...args: readonly string[]) => {
    execFileSync(ensure('openssl'), args, { stdio: 'pipe' })
  }
  const ofCa = ['-subj', '/O=svc/CN=Test Authority', '-keyout', path('ca.key'), '-out', path('ca.pem')]
  openssl('req', '-x509', '-newkey', 'ec', ...curve, '-nodes', '-days', '30', ...ofCa)
  const ca = read('ca.pem')
  return {
    ca,
    issue: (names, { days = 2, algorithm = 'ec' } = {}) => {
      const key = ['-newkey', algorithm, ...(algorithm === 'ec' ? curve : []), '-nodes', '-keyout', path('key')]
      openssl('req', '-new', ...key, '-subj', `/CN=${names[0] ?? 'none'}`, '-out', path('csr'))
      const alternatives = names.map((name) => (isIP(name) === 0 ? `DNS:${name}` : `IP:${name}`)).join(',')
      writeFileSync(path('ext'), names.length === 0 ? '' : `subjectAltName=${alternatives}\n`)
      const signer = ['-CA', path('ca.pem'), '-CAkey', path('ca.key'), '-CAcreateserial', '-extfile', path('ext')]
      openssl('x509', '-req', '-in', path('csr'), ...signer, '-days', String(days), '-out', path('pem'))
      const certificate = read('pem')
      return { certificate, chain: certificate + ca, key: read('key') }
    },
    remove: () => rmSync(folder, { recursive: true }),
  }
}
