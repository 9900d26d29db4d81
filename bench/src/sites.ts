import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'
import { byteClient } from './byte-client.js'
import { startNginx } from './nginx.js'
import { runOperatorCommand, startBenchProgram, startSvc, type Program } from './programs.js'
import { checkCpu, measureSides, requestSide } from './request-side.js'

/** Of small pages, of stylesheets, and of scripts and images. In bytes. */
const sizes = { '1.5 KiB': 1_536, '8 KiB': 8_192, '30 KiB': 30_720 }

const nameOf = (size: string) => `${size.replace(' ', '-')}.bin`

/** Files of a site by host, against nginx with sendfile and @fastify/static. */
export async function benchSites(folder: string): Promise<void> {
  const files = Object.fromEntries(Object.entries(sizes).map(([size, bytes]) => [nameOf(size), randomBytes(bytes)]))
  const nginx = await startNginx(join(folder, 'sites-nginx'), files)
  const root = join(folder, 'sites-nginx', 'files')
  const fastify = await startBenchProgram('../peers/static-server.js', join(folder, 'static.log'), /^(http:\S+)/m, root)
  const svc = await startSite(join(folder, 'sites'), files)
  const headers = { Host: 'bench.localhost' }
  for (const size of Object.keys(sizes)) {
    const side = (name: string, program: Program) => requestSide(name, program, `/${nameOf(size)}`, { headers })
    const sides = { nginx: side('nginx', nginx), fastify: side('@fastify/static', fastify), svc: side('svc', svc) }
    await measureSides(5, Object.values(sides))
    // As rates: at least 0.4 × nginx, and 8 × @fastify/static.
    checkCpu(`file of ${size}`, sides.svc, sides.nginx, 2.5)
    checkCpu(`file of ${size}`, sides.svc, sides.fastify, 0.125)
  }
  await Promise.all([nginx.stop(), fastify.stop(), svc.stop()])
}

/** Starts svc with the site bench.localhost that has these files. @param flags of `svc serve` */
export async function startSite(
  data: string,
  files: Readonly<Record<string, Buffer>>,
  flags: readonly string[] = [],
): Promise<Program> {
  await runOperatorCommand(data, 'user', 'add', 'bench@example.com')
  const named = ['--name', 'bench', '--scope', 'sites:write']
  const { token } = await runOperatorCommand(data, 'token', 'add', 'bench@example.com', ...named)
  const svc = await startSvc(data, flags)
  const zip = new ZipFile()
  for (const [name, bytes] of Object.entries(files)) zip.addBuffer(bytes, name, { compress: false })
  zip.end()
  const client = byteClient(svc.url, 1)
  const headers = { authorization: `Bearer ${String(token)}`, 'content-type': 'application/zip' }
  await client.send('POST', '/v1/sites/deploy?name=bench', headers, await buffer(zip.outputStream))
  client.close()
  return svc
}
