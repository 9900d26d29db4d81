import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { svcServe, type Place, type Serving } from '../../packages/cli/test/svc.js'
import { testAuthority } from '../../packages/server/test/test-authority.js'
import { freePort } from '../../test/servers/index.js'

export interface TlsServing extends Serving {
  /** `https://127.0.0.1:<port>`, with a certificate for localhost and the names below it (browsers need docs.localhost in it: no wildcard is valid below a top-level domain) */
  readonly tlsUrl: string
  /** `http://127.0.0.1:<port>` of the redirects. */
  readonly redirectUrl: string
  /** The certificate of its authority. */
  readonly ca: string
}

/** Starts `svc serve` with TLS. It is killed at the end of the test. */
export async function serveTls(place: Place, ...flags: string[]): Promise<TlsServing & AsyncDisposable> {
  const authority = testAuthority()
  const { chain, key } = authority.issue(['localhost', '*.localhost', 'docs.localhost'])
  authority.remove()
  const file = join(place.cwd, 'certificate.pem')
  await writeFile(file, chain + key)
  const httpPort = String(await freePort())
  const tls = ['--tls-port', '0', '--tls-cert', file, '--http-port', httpPort, '--public-url', 'https://localhost']
  const serving = await svcServe(place, ...tls, ...flags)
  const listening = serving.log.find(({ msg }) => msg === 'listening')
  const tlsUrl = String(listening?.['tls_url'])
  return { ...serving, tlsUrl, redirectUrl: `http://127.0.0.1:${httpPort}`, ca: authority.ca }
}
