import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ensure, freePort, startProcess } from '../../test/servers/index.js'

const run = promisify(execFile)

export interface Pebble {
  /** The URL of the ACME directory. */
  readonly url: string
  /** File of the CA certificate that ACME clients must trust. */
  readonly ca: string
  readonly stop: () => Promise<void>
}

/** Starts Pebble, Let's Encrypt's test server. It resolves challenges with the nameserver on this port of 127.0.0.1. */
export async function startPebble(dnsPort: number): Promise<Pebble> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-pebble-'))
  const [key, ca, config] = ['key.pem', 'ca.pem', 'config.json'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const names = 'subjectAltName=DNS:localhost,IP:127.0.0.1'
  const keyOptions = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key]
  const request = ['req', '-x509', '-days', '2', '-subj', '/CN=localhost', '-addext', names, ...keyOptions, '-out', ca]
  await run(ensure('openssl'), request)

  const [port, management, httpPort, tlsPort] = [await freePort(), await freePort(), await freePort(), await freePort()]
  const listen = { listenAddress: `127.0.0.1:${port}`, managementListenAddress: `127.0.0.1:${management}` }
  const pebble = { ...listen, certificate: ca, privateKey: key, httpPort, tlsPort, ocspResponderURL: '' }
  await writeFile(config, JSON.stringify({ pebble: { ...pebble, externalAccountBindingRequired: false } }))
  const server = await startProcess({
    command: ensure('pebble'),
    args: ['-config', config, '-dnsserver', `127.0.0.1:${dnsPort}`],
    log: join(folder, 'pebble.log'),
    ready: () => answers(port),
    // No random delays, no deliberately refused nonces, and a DNS query for every challenge.
    env: { ...process.env, PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '0', PEBBLE_AUTHZREUSE: '0' },
  })
  return {
    url: `https://localhost:${port}/dir`,
    ca,
    stop: async () => {
      await server.stop()
      await rm(folder, { recursive: true })
    },
  }
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
