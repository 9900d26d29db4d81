import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { promisify } from 'node:util'
import { ensure } from './ensure.js'
import { freePort, startProcess } from './process.js'

/** A reverse proxy that terminates TLS. */
export interface Proxy {
  /** The port of HTTPS on 127.0.0.1. */
  readonly port: number
  /** Ends the process and removes its files. */
  stop(): Promise<void>
}

/** What the documented configurations name. */
interface Upstream {
  /** Of svc, instead of 8080. */
  readonly svcPort: number
  /** The names of the certificates in /etc/ssl. */
  readonly hosts: readonly string[]
}

/** Starts nginx with the blocks of docs/operating.md. @param shared the file that the hosts include @param hosts the servers */
export async function startNginx(shared: string, hosts: string, upstream: Upstream): Promise<Proxy> {
  return inFolder('nginx', upstream.hosts[0], async (folder, port) => {
    const replaced = await replacer(folder, port, upstream)
    await writeFile(join(folder, 'svc-proxy.conf'), replaced(shared))
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path ${folder}/${name};`)
      .join('\n')
    const http = `access_log off;\n${temporary}\n${replaced(hosts)}`
    const main = `daemon off;\nmaster_process off;\npid ${folder}/pid;\nerror_log stderr;\nevents {}\nhttp {\n${http}\n}\n`
    await writeFile(join(folder, 'nginx.conf'), main)
    return { command: ensure('nginx'), args: ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')] }
  })
}

/** Starts Caddy with the block of docs/operating.md, and its own authority instead of a public one. */
export async function startCaddy(config: string, upstream: Upstream): Promise<Proxy> {
  return inFolder('caddy', upstream.hosts[0], async (folder, port) => {
    const replaced = await replacer(folder, port, upstream)
    const options = [
      'admin off',
      'local_certs',
      'skip_install_trust',
      `https_port ${port}`,
      `http_port ${await freePort()}`,
    ]
    const file = join(folder, 'Caddyfile')
    await writeFile(file, replaced(config).replace('{\n', `{\n\t${options.join('\n\t')}\n`))
    const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
    return { command: ensure('caddy'), args: ['run', '--adapter', 'caddyfile', '--config', file], env }
  })
}

type Command = Pick<Parameters<typeof startProcess>[0], 'command' | 'args' | 'env'>

/** @param host that the proxy has a certificate for: Caddy listens before its authority has made one */
async function inFolder(
  name: string,
  host: string | undefined,
  prepare: (folder: string, port: number) => Promise<Command>,
): Promise<Proxy> {
  const folder = await mkdtemp(join(tmpdir(), `svc-${name}-`))
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    const port = await freePort()
    const command = await prepare(folder, port)
    const running = await startProcess({ ...command, log: join(folder, 'log'), ready: () => shakesHands(port, host) })
    return {
      port,
      stop: async () => {
        await running.stop()
        await remove()
      },
    }
  } catch (error) {
    await remove()
    throw error
  }
}

/** Whether a server on a port of 127.0.0.1 completes a TLS handshake for a host. */
function shakesHands(port: number, host: string | undefined): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', servername: host, rejectUnauthorized: false }, () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => {
      resolve(false)
    })
  })
}

/** Creates a certificate for each host. @returns the documented text with paths and ports of the test */
async function replacer(
  folder: string,
  port: number,
  { svcPort, hosts }: Upstream,
): Promise<(config: string) => string> {
  for (const host of hosts) {
    const names = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host},DNS:*.${host}`]
    const keys = ['-keyout', join(folder, `${host}.key`), '-out', join(folder, `${host}.pem`)]
    const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
    await promisify(execFile)(ensure('openssl'), ['req', ...kind, ...names, ...keys])
  }
  const httpPort = await freePort()
  return (config) =>
    config
      .replaceAll('/etc/ssl/', `${folder}/`)
      .replaceAll('/etc/nginx/', `${folder}/`)
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${svcPort}`)
      .replaceAll('listen 443', `listen 127.0.0.1:${port}`)
      .replaceAll('listen 80 ', `listen 127.0.0.1:${httpPort} `)
}
