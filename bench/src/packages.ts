import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { byteClient, type SendBytes } from './byte-client.js'
import { addAccount, startBenchProgram, startSvc, type Program } from './programs.js'
import { checkCpu, measureSides, requestSide, sideOf } from './request-side.js'

const run = promisify(execFile)

const tarballs = { '100 kB': { bytes: 100_000, versions: 40 }, '5 MB': { bytes: 5_000_000, versions: 8 } } as const
type Tarball = keyof typeof tarballs

/** Clients that publish at the same time, each to a separate package. */
const publishers = 4
const rounds = 5

/** Publishes one version of a package. */
type Publish = (slug: string, version: string, tarball: Buffer) => Promise<void>

/** Publishing and downloading tarballs against verdaccio, which flushes nothing to the disk. */
export async function benchPackages(folder: string): Promise<void> {
  const data = join(folder, 'packages')
  const token = await addAccount(data)
  const svc = await startSvc(data)
  const peer = await startVerdaccio(join(folder, 'verdaccio'))
  const clients = { svc: byteClient(svc.url, publishers), peer: byteClient(peer.url, publishers) }
  const publish = { svc: publishToSvc(clients.svc.send, token), peer: publishToVerdaccio(clients.peer.send) }
  for (const name of Object.keys(tarballs) as Tarball[]) await compare(name, { svc, peer }, publish)
  clients.svc.close()
  clients.peer.close()
  await Promise.all([svc.stop(), peer.stop()])
}

interface Sides<T> {
  readonly svc: T
  readonly peer: T
}

async function compare(name: Tarball, { svc, peer }: Sides<Program>, publish: Sides<Publish>): Promise<void> {
  const { bytes, versions } = tarballs[name]
  const tarball = randomBytes(bytes)
  let batch = 0
  const publishing = (to: Publish) => async () => {
    const prefix = `bench-${String(bytes)}-${String(batch++)}`
    // Without the bytes that the other side has left to the system: an fsync of svc would wait for them.
    await run('sync')
    const began = performance.now()
    await Promise.all(
      Array.from({ length: publishers }, async (_, client) => {
        for (let n = 0; n < versions; n++) await to(`${prefix}-${String(client)}`, `1.0.${String(n)}`, tarball)
      }),
    )
    return (publishers * versions) / ((performance.now() - began) / 1000)
  }
  const requests = () => publishers * versions
  const published = {
    svc: sideOf('svc', svc.pid, publishing(publish.svc), requests),
    peer: sideOf('verdaccio', peer.pid, publishing(publish.peer), requests),
  }
  await measureSides(rounds, Object.values(published))
  // As a rate: at least 2 × verdaccio.
  checkCpu(`publish ${name}`, published.svc, published.peer, 0.5)

  const slug = `bench-${String(bytes)}`
  await Promise.all([publish.svc(slug, '1.0.0', tarball), publish.peer(slug, '1.0.0', tarball)])
  const load = { connections: 16 }
  const headers = { Host: 'content.localhost' }
  const downloaded = {
    svc: requestSide('svc', svc, `/p/${slug}/1.0.0/${slug}.tgz`, { ...load, headers }),
    peer: requestSide('verdaccio', peer, `/${slug}/-/${slug}-1.0.0.tgz`, load),
  }
  await measureSides(rounds, Object.values(downloaded))
  checkCpu(`download ${name}`, downloaded.svc, downloaded.peer, 0.5)
}

const publishToSvc =
  (send: SendBytes, token: string): Publish =>
  async (slug, version, tarball) => {
    const field = (name: string, value: string) =>
      `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
    const file = `--x\r\nContent-Disposition: form-data; name="file"; filename="${slug}.tgz"\r\n\r\n`
    const head = field('slug', slug) + field('version', version) + file
    const body = Buffer.concat([Buffer.from(head), tarball, Buffer.from('\r\n--x--\r\n')])
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'multipart/form-data; boundary=x' }
    await send('POST', '/v1/packages/publish', headers, body)
  }

/** As npm publishes. */
const publishToVerdaccio =
  (send: SendBytes): Publish =>
  async (slug, version, tarball) => {
    const file = `${slug}-${version}.tgz`
    const digest = (algorithm: string, encoding: 'hex' | 'base64') =>
      createHash(algorithm).update(tarball).digest(encoding)
    const dist = { shasum: digest('sha1', 'hex'), integrity: `sha512-${digest('sha512', 'base64')}` }
    const manifest = {
      name: slug,
      version,
      _id: `${slug}@${version}`,
      dist: { ...dist, tarball: `http://localhost/${slug}/-/${file}` },
    }
    const body = {
      _id: slug,
      name: slug,
      'dist-tags': { latest: version },
      versions: { [version]: manifest },
      _attachments: {
        [file]: { content_type: 'application/octet-stream', data: tarball.toString('base64'), length: tarball.length },
      },
    }
    await send('PUT', `/${slug}`, { 'content-type': 'application/json' }, Buffer.from(JSON.stringify(body)))
  }

async function startVerdaccio(folder: string): Promise<Program> {
  await mkdir(folder)
  const settings = `
storage: ${folder}/storage
auth: { htpasswd: { file: ${folder}/htpasswd } }
uplinks: {}
packages: { '**': { access: $all, publish: $anonymous } }
max_body_size: 100mb
web: { enable: false }
log: { type: file, path: ${folder}/log.json, level: info }
`
  const config = join(folder, 'config.yaml')
  await writeFile(config, settings)
  return startBenchProgram('../peers/verdaccio-server.js', join(folder, 'out.log'), /^(http:\S+)/m, config)
}
