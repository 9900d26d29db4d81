import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { ZipFile } from 'yazl'
import { byteClient, type SendBytes } from './byte-client.js'
import { CpuTime } from './cpu-time.js'
import { checkLimit, measureRounds, median, medianRatio, printInfo } from './measure.js'
import { pin, runOperatorCommand, startSvc } from './programs.js'

const run = promisify(execFile)

const files = 5_000
const siteBytes = 50_000_000

const rounds = 3

/** Deploys against `unzip` and an fsync of each file and folder, which is what makes unpacked files durable. */
export async function benchDeploys(folder: string): Promise<void> {
  const data = join(folder, 'deploys')
  await runOperatorCommand(data, 'user', 'add', 'bench@example.com')
  const { token } = await runOperatorCommand(
    ...([data, 'token', 'add', 'bench@example.com'] as const),
    ...['--name', 'bench', '--scope', '*'],
  )
  const svc = await startSvc(data)
  const client = byteClient(svc.url, 1)
  const cpu = new CpuTime(svc.pid)
  let site = new Map<string, Buffer>()
  let archive: Buffer = Buffer.alloc(0)
  const send = () => seconds(() => deploy(client.send, String(token), archive))
  const figures = await measureRounds(rounds, {
    unzip: async () => {
      site = newSite()
      archive = await zip(site)
      return unpack(folder, archive)
    },
    deploy: () => cpu.measure(send),
    redeploy: async () => {
      site.set('page-0.html', randomBytes(1_000))
      archive = await zip(site)
      return send()
    },
  })
  client.close()
  await svc.stop()

  const { unzip, deploy: first, redeploy } = figures
  const times = `${median(first).toFixed(2)} s, ${(cpu.seconds / rounds).toFixed(2)} s of CPU; unzip and fsync ${median(unzip).toFixed(2)} s`
  printInfo(`${files} files, ${siteBytes / 1e6} MB`, times)
  checkLimit('time of a deploy against unzip and fsync', medianRatio(first, unzip), { below: 2 })
  printInfo('one file changed', `${median(redeploy).toFixed(2)} s`)
  checkLimit('time of a redeploy against the first deploy', medianRatio(redeploy, first), { below: 0.3 })
}

/** Half of the bytes are text that compresses like HTML, half are images. New contents each time. */
function newSite(): Map<string, Buffer> {
  const words = Array.from({ length: 4_000 }, () =>
    randomBytes(3 + Math.floor(Math.random() * 4)).toString('base64url'),
  )
  const text = (size: number) => {
    let html = ''
    while (html.length < size)
      html += `<p class="${words[Math.floor(Math.random() ** 3 * 20)]}">${words[Math.floor(Math.random() ** 3 * words.length)]}</p>\n`
    return Buffer.from(html)
  }
  const site = new Map<string, Buffer>()
  const mean = siteBytes / files
  for (let i = 0; i < files; i++) {
    const size = mean * (0.2 + 1.6 * Math.random())
    const [name, bytes] = [
      [`page-${i}.html`, () => text(size)],
      [`assets/style-${i}.css`, () => text(size)],
      [`images/${i % 50}/image-${i}.png`, () => randomBytes(size)],
      [`images/${i % 50}/photo-${i}.jpg`, () => randomBytes(size)],
    ][i % 4] as [string, () => Buffer]
    site.set(name, bytes())
  }
  return site
}

function zip(site: ReadonlyMap<string, Buffer>): Promise<Buffer> {
  const archive = new ZipFile()
  for (const [path, bytes] of site) archive.addBuffer(bytes, path)
  archive.end()
  return buffer(archive.outputStream)
}

/** Unpacks an archive on core 0 and flushes each file and folder. */
async function unpack(folder: string, archive: Buffer): Promise<number> {
  const path = join(folder, 'site.zip')
  const target = join(folder, `unpacked-${performance.now()}`)
  await writeFile(path, archive)
  const commands = `unzip -q ${path} -d ${target} && find ${target} -print0 | xargs -0 sync`
  const [program, ...args] = [...pin(0), 'sh', '-c', commands]
  return seconds(() => run(program, args))
}

/** Without the bytes that others have left to the system: an fsync would wait for them. */
async function seconds(work: () => Promise<unknown>): Promise<number> {
  await run('sync')
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1000
}

async function deploy(send: SendBytes, token: string, archive: Buffer): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/zip' }
  const { text } = await send('POST', '/v1/sites/deploy?name=bench', headers, archive)
  const { data } = JSON.parse(text) as { data?: { files: number } }
  if (data?.files !== files) throw new Error(`The deploy failed: ${text}`)
}
