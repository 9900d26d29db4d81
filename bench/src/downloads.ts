import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { byteClient, type SendBytes } from './byte-client.js'
import { checkLimit } from './measure.js'
import { startNginx } from './nginx.js'
import { addAccount, startSvc } from './programs.js'
import { checkCpu, checkRate, measureSides, requestSide } from './request-side.js'
import { serverMilliseconds } from './server-log.js'

const largeBytes = 100_000_000
const smallBytes = 16 * 1024
const listedFiles = 100_000

interface Uploaded {
  readonly id: number
  readonly share_url: string
}

/** Downloads against nginx with sendfile, share links from the edge cache and without it, and a list of files. */
export async function benchDownloads(folder: string): Promise<void> {
  const data = join(folder, 'downloads')
  const token = await addAccount(data)
  const [large, small] = [randomBytes(largeBytes), randomBytes(smallBytes)]
  const nginx = await startNginx(join(folder, 'nginx'), { large, small })
  const svc = await startSvc(data)
  const client = byteClient(svc.url, 4)
  const headers = { authorization: `Bearer ${token}` }
  const toLarge = await upload(client.send, headers, 'large', large)
  const toSmall = await upload(client.send, headers, 'small', small)
  const uncached = await upload(client.send, headers, 'uncached', small)
  await post(client.send, headers, '/v1/cdn/config', { id: toSmall.id, edge_ttl: 86_400 })
  await post(client.send, headers, '/v1/cdn/config', { id: uncached.id, edge_ttl: 0 })
  const share = ({ share_url }: Uploaded) => {
    const { host, pathname } = new URL(share_url)
    return requestSide('svc', svc, pathname, { headers: { Host: host } })
  }
  const four = { connections: 4, seconds: 3 }
  const sides = {
    nginxLarge: requestSide('nginx with sendfile', nginx, '/large', four),
    large: requestSide('svc', svc, `/v1/files/download?id=${String(toLarge.id)}`, { ...four, token }),
    nginxSmall: requestSide('nginx', nginx, '/small'),
    hit: share(toSmall),
    miss: { ...share(uncached), name: 'without the cache' },
  }
  await measureSides(5, Object.values(sides))
  await Promise.all([nginx.stop(), svc.stop()])
  client.close()

  // By the rate: nginx leaves the copying to the kernel (sendfile), which needs a fraction of the CPU time.
  checkRate('download of 100 MB, four at a time', sides.large, sides.nginxLarge, 0.9)
  // As rates: at least 0.4 × nginx, and at least 3 × svc without the cache.
  checkCpu('share link from the cache', sides.hit, sides.nginxSmall, 2.5)
  checkCpu('share link from the cache', sides.hit, sides.miss, 0.33)
  checkLimit('list of 1,000 of 100,000 files', await listTime(data, token), { below: 5 }, ' ms')
}

type Headers = Readonly<Record<string, string>>

async function upload(send: SendBytes, headers: Headers, name: string, bytes: Buffer): Promise<Uploaded> {
  const head = `--x\r\nContent-Disposition: form-data; name="shared"\r\n\r\ntrue\r\n--x\r\nContent-Disposition: form-data; name="content"; filename="${name}"\r\n\r\n`
  const body = Buffer.concat([Buffer.from(head), bytes, Buffer.from('\r\n--x--\r\n')])
  const type = { 'content-type': 'multipart/form-data; boundary=x' }
  const { text } = await send('POST', '/v1/files/upload', { ...headers, ...type }, body)
  return (JSON.parse(text) as { data: Uploaded }).data
}

async function post(send: SendBytes, headers: Headers, path: string, body: unknown): Promise<void> {
  await send('POST', path, { ...headers, 'content-type': 'application/json' }, Buffer.from(JSON.stringify(body)))
}

/** Milliseconds that the server needs for a page, by its log: the median of 50. */
async function listTime(data: string, token: string): Promise<number> {
  fillFiles(join(data, 'svc.db'))
  const svc = await startSvc(data)
  const client = byteClient(svc.url, 1)
  for (let n = 0; n < 50; n++) await client.send('GET', '/v1/files?limit=1000', { authorization: `Bearer ${token}` })
  client.close()
  await svc.stop()
  return serverMilliseconds(data, svc, 'files.list')
}

/** Uploading them would take minutes. */
function fillFiles(database: string): void {
  const handle = new BetterSqlite(database)
  handle.exec(`
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${String(listedFiles)})
    insert into file (account_id, name, media_type, size, sha256, edge_ttl, serving, edge_version, created_at, updated_at)
      select 1, 'file ' || i || '.bin', 'application/octet-stream', 0, '${'e'.repeat(64)}', 3600, 1, 1, 1795167000000, 1795167000000 from n;
    update storage_use set files = files + ${String(listedFiles)}, objects = objects + ${String(listedFiles)} where account_id = 1;
  `)
  handle.close()
}
