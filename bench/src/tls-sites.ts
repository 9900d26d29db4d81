import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensure } from '../../test/servers/ensure.js'
import { freePort } from '../../test/servers/process.js'
import { writeCertificates } from './certificates.js'
import { startNginx } from './nginx.js'
import { checkCpu, checkRate, measureSides, printCpu, requestSide } from './request-side.js'
import { startSite } from './sites.js'

/** In bytes. svc keeps the small files in memory, and reads the large one from the disk. */
const files = { '1.5 KiB': 1_536, '30 KiB': 30_720, '10 MB': 10_000_000 }

/** What svc prefers. Without it, nginx follows the order of the client: AES-256 first. */
const cipher = 'TLS_AES_128_GCM_SHA256'

const host = 'bench.localhost'

const pathOf = (size: string) => `${size.replace(' ', '-')}.bin`

/** Files of a site over TLS, kept alive, against nginx with the same certificate and cipher, and against svc without TLS. */
export async function benchTlsSites(folder: string): Promise<void> {
  const certificates = join(folder, 'tls-sites-certificates')
  writeCertificates(certificates, 0)
  const certificate = join(certificates, 'localhost.pem')
  const contents = Object.fromEntries(
    Object.entries(files).map(([size, bytes]) => [pathOf(size), randomBytes(bytes)] as const),
  )
  const ports = { svc: await freePort(), nginx: await freePort() }
  const nginx = await startNginx(join(folder, 'tls-sites-nginx'), contents, { port: ports.nginx, certificate, cipher })
  const publicUrl = `https://localhost:${String(ports.svc)}`
  const flags = ['--tls-port', String(ports.svc), '--tls-cert', certificate, '--http-port', '0']
  const svc = await startSite(join(folder, 'tls-sites'), contents, [...flags, '--public-url', publicUrl])
  for (const port of Object.values(ports)) checkCipher(port)
  const script = join(folder, 'tls-sites.lua')
  writeFileSync(script, atLoopback)
  for (const size of Object.keys(files)) {
    const isLarge = size === '10 MB'
    const load = isLarge ? { connections: 4, seconds: 3 } : {}
    const side = (name: string, pid: number, url: string) =>
      requestSide(name, { url, pid }, `/${pathOf(size)}`, { ...load, script, headers: { Host: host } })
    const secureUrl = (port: number) => `https://${host}:${String(port)}`
    const sides = {
      nginx: side('nginx', nginx.pid, secureUrl(ports.nginx)),
      tls: side('svc', svc.pid, secureUrl(ports.svc)),
      plain: side('svc without TLS', svc.pid, svc.url),
    }
    await measureSides(5, Object.values(sides))
    // As rates: at least 0.4 × nginx, as without TLS.
    checkCpu(`file of ${size} over TLS`, sides.tls, sides.nginx, 2.5)
    checkRate(`file of ${size} over TLS`, sides.tls, sides.nginx, 0.4)
    printCpu(`file of ${size} without TLS`, sides.plain)
  }
  await Promise.all([nginx.stop(), svc.stop()])
}

/** A script of wrk that connects to 127.0.0.1: hosts below localhost are in no DNS, and wrk takes the name for TLS from the URL. */
const atLoopback = `
function wrk.resolve(_, port)
  wrk.addrs = wrk.lookup("127.0.0.1", port)
end
`

/** @throws Error if a client with the OpenSSL of wrk gets another cipher */
function checkCipher(port: number): void {
  const place = ['-connect', `127.0.0.1:${String(port)}`, '-servername', host]
  const text = execFileSync(ensure('openssl'), ['s_client', ...place], { input: '', encoding: 'utf8', stdio: 'pipe' })
  if (!text.includes(`Cipher is ${cipher}`)) throw new Error(`Port ${String(port)} does not use ${cipher}:\n${text}`)
}
