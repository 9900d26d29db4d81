import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { byteClient, type SendBytes } from './byte-client.js'
import { CpuTime } from './cpu-time.js'
import { checkLimit, measureRounds, median, medianRatio, printInfo } from './measure.js'
import { runOperatorCommand, startBenchProgram, startSvc } from './programs.js'

const run = promisify(execFile)

const partBytes = 8 * 1024 * 1024
const parts = 128
const smallBytes = 4 * 1024
const smallFiles = 10_000
const connections = 16

/** Uploads against @tus/server, which flushes nothing to the disk and computes no digest. */
export async function benchUploads(folder: string): Promise<void> {
  const data = join(folder, 'uploads')
  const tusFolder = join(folder, 'tus')
  await mkdir(tusFolder)
  await runOperatorCommand(data, 'user', 'add', 'bench@example.com')
  const { token } = await runOperatorCommand(
    data,
    'token',
    'add',
    'bench@example.com',
    '--name',
    'bench',
    '--scope',
    '*',
  )
  const authorization = `Bearer ${String(token)}`
  const svc = await startSvc(data)
  const tus = await startBenchProgram('tus-server.ts', join(folder, 'tus.log'), /^(http:\S+)/m, tusFolder)
  const toSvc = byteClient(svc.url, connections)
  const toTus = byteClient(tus.url, connections)
  const part = randomBytes(partBytes)
  const small = randomBytes(smallBytes)

  const largeCpu = { svc: new CpuTime(svc.pid), tus: new CpuTime(tus.pid) }
  const large = await measureRounds(3, {
    svc: () => largeCpu.svc.measure(() => seconds(() => uploadParts(toSvc.send, authorization, part))),
    tus: () => largeCpu.tus.measure(() => seconds(() => uploadPatches(toTus.send, part))),
  })
  const manyCpu = { svc: new CpuTime(svc.pid), tus: new CpuTime(tus.pid) }
  const uploadSmall = (n: number) => uploadBytes(toSvc.send, authorization, `${String(n)}.bin`, small)
  const many = await measureRounds(3, {
    svc: () => manyCpu.svc.measure(() => seconds(() => repeat(uploadSmall))),
    tus: () => manyCpu.tus.measure(() => seconds(() => repeat(() => createWithUpload(toTus.send, small)))),
  })
  toSvc.close()
  toTus.close()
  await Promise.all([svc.stop(), tus.stop()])

  printTimes('1 GiB by parts of 8 MiB', large, largeCpu)
  checkLimit('speed against @tus/server', medianRatio(large.tus, large.svc), { atLeast: 1 })
  printTimes(`${smallFiles} files of 4 KiB`, many, manyCpu)
  checkLimit('speed against @tus/server', medianRatio(many.tus, many.svc), { atLeast: 2 })
}

type Sides<T> = Readonly<Record<'svc' | 'tus', T>>

function printTimes(what: string, figures: Sides<readonly number[]>, cpu: Sides<CpuTime>): void {
  const side = (name: 'svc' | 'tus') =>
    `${median(figures[name]).toFixed(2)} s, ${cpu[name].seconds.toFixed(2)} s of CPU`
  printInfo(what, `${side('svc')}; @tus/server ${side('tus')}`)
}

/** Without the bytes that the other side has left to the system: an fsync of svc would wait for them. */
async function seconds(work: () => Promise<void>): Promise<number> {
  await run('sync')
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1000
}

async function uploadParts(send: SendBytes, authorization: string, part: Buffer): Promise<void> {
  const headers = { authorization, 'content-type': 'application/octet-stream' }
  let query = ''
  let id = 0
  for (let index = 0; index < parts; index++) {
    const { text } = await send('POST', `/v1/files/upload-chunk?index=${String(index)}${query}`, headers, part)
    id = (JSON.parse(text) as { data: { upload_id: number } }).data.upload_id
    query = `&upload_id=${String(id)}`
  }
  const body = Buffer.from(JSON.stringify({ upload_id: id, name: 'large.bin', parts }))
  await send('POST', '/v1/files/upload-finalize', { authorization, 'content-type': 'application/json' }, body)
}

const tusHeaders = { 'tus-resumable': '1.0.0' }
const patchHeaders = { ...tusHeaders, 'content-type': 'application/offset+octet-stream' }

async function uploadPatches(send: SendBytes, part: Buffer): Promise<void> {
  const { headers } = await send('POST', '/files', { ...tusHeaders, 'upload-length': String(parts * partBytes) })
  const { pathname } = new URL(headers.location ?? '', 'http://tus')
  for (let index = 0; index < parts; index++)
    await send('PATCH', pathname, { ...patchHeaders, 'upload-offset': String(index * partBytes) }, part)
}

async function createWithUpload(send: SendBytes, bytes: Buffer): Promise<void> {
  await send('POST', '/files', { ...patchHeaders, 'upload-length': String(bytes.length) }, bytes)
}

async function uploadBytes(send: SendBytes, authorization: string, name: string, bytes: Buffer): Promise<void> {
  const headers = { authorization, 'content-type': 'application/octet-stream' }
  await send('POST', `/v1/files/upload?name=${name}`, headers, bytes)
}

/** Sends all small files over the connections. */
async function repeat(upload: (n: number) => Promise<void>): Promise<void> {
  let next = 0
  const runClient = async () => {
    while (next < smallFiles) await upload(next++)
  }
  await Promise.all(Array.from({ length: connections }, runClient))
}
