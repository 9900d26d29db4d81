import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { ensure } from './ensure.js'
import { accepts, freePort, startProcess } from './process.js'

const run = promisify(execFile)

export interface Pebble {
  /** The URL of the ACME directory. */
  readonly url: string
  /** File of the certificate that ACME clients must trust, and of its key. All processes of the tests trust it. */
  readonly ca: string
  readonly key: string
  /** The ports at which it verifies http-01 and tls-alpn-01. */
  readonly httpPort: number
  readonly tlsPort: number
  /** The root of the certificates that it issues, in PEM. */
  readonly root: () => Promise<string>
  readonly stop: () => Promise<void>
}

export interface PebbleOptions {
  /** MAC keys in base64url by key id: then each account must be bound to one of them. */
  readonly externalAccounts?: Readonly<Record<string, string>>
  /** How many percent of good nonces it refuses. */
  readonly noncesRefused?: number
  /** How long its certificates are valid; five years by default. */
  readonly validitySeconds?: number
}

/** Makes the certificate of all Pebbles, with its key `key.pem` beside it. @returns its file, for NODE_EXTRA_CA_CERTS of the tests */
export async function makeAuthority(): Promise<{ readonly certificate: string; readonly remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-authority-'))
  const certificate = join(folder, 'ca.pem')
  const names = 'subjectAltName=DNS:localhost,IP:127.0.0.1'
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', join(folder, 'key.pem')]
  const request = [
    'req',
    '-x509',
    '-days',
    '2',
    '-subj',
    '/CN=localhost',
    '-addext',
    names,
    ...key,
    '-out',
    certificate,
  ]
  await run(ensure('openssl'), request)
  return { certificate, remove: () => rm(folder, { recursive: true }) }
}

/** Starts Pebble, Let's Encrypt's test server. It resolves challenges with the nameserver on this port of 127.0.0.1. */
export async function startPebble(dnsPort: number, options: PebbleOptions = {}): Promise<Pebble> {
  const { externalAccounts = {}, noncesRefused = 0, validitySeconds } = options
  const folder = await mkdtemp(join(tmpdir(), 'svc-pebble-'))
  const config = join(folder, 'config.json')
  const ca = process.env['NODE_EXTRA_CA_CERTS'] ?? ''
  const key = join(dirname(ca), 'key.pem')
  const [port, management, httpPort, tlsPort] = [await freePort(), await freePort(), await freePort(), await freePort()]
  const listen = { listenAddress: `127.0.0.1:${port}`, managementListenAddress: `127.0.0.1:${management}` }
  const pebble = {
    ...listen,
    certificate: ca,
    privateKey: key,
    httpPort,
    tlsPort,
    ocspResponderURL: '',
    externalAccountBindingRequired: options.externalAccounts !== undefined,
    externalAccountMACKeys: externalAccounts,
    ...(validitySeconds !== undefined && { certificateValidityPeriod: validitySeconds }),
  }
  await writeFile(config, JSON.stringify({ pebble }))
  const server = await startProcess({
    command: ensure('pebble'),
    args: ['-config', config, '-dnsserver', `127.0.0.1:${dnsPort}`],
    log: join(folder, 'pebble.log'),
    ready: () => accepts(port),
    // No random delays, and a DNS query for every challenge.
    env: {
      ...process.env,
      PEBBLE_VA_NOSLEEP: '1',
      PEBBLE_WFE_NONCEREJECT: String(noncesRefused),
      PEBBLE_AUTHZREUSE: '0',
    },
  })
  return {
    url: `https://localhost:${port}/dir`,
    ca,
    key,
    httpPort,
    tlsPort,
    root: async () => {
      const { stdout } = await run(ensure('curl'), ['-s', '--cacert', ca, `https://localhost:${management}/roots/0`])
      return stdout
    },
    stop: async () => {
      await server.stop()
      await rm(folder, { recursive: true })
    },
  }
}
