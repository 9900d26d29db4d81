import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { byteClient, type SendBytes } from './byte-client.js'
import { addAccount, startBenchProgram, startSvc, type Program } from './programs.js'
import { checkCpu, measureSides, sideOf, type Side } from './request-side.js'

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
  const authorization = `Bearer ${await addAccount(data)}`
  const svc = await startSvc(data)
  const tus = await startBenchProgram('../peers/tus-server.js', join(folder, 'tus.log'), /^(http:\S+)/m, tusFolder)
  const toSvc = byteClient(svc.url, connections)
  const toTus = byteClient(tus.url, connections)
  const part = randomBytes(partBytes)
  const small = randomBytes(smallBytes)

  const large = {
    svc: uploadSide('svc', svc, () => uploadParts(toSvc.send, authorization, part), 1),
    tus: uploadSide('@tus/server', tus, () => uploadPatches(toTus.send, part), 1),
  }
  await measureSides(3, Object.values(large))
  const uploadSmall = (n: number) => uploadBytes(toSvc.send, authorization, `${String(n)}.bin`, small)
  const many = {
    svc: uploadSide('svc', svc, () => repeat(uploadSmall), smallFiles),
    tus: uploadSide('@tus/server', tus, () => repeat(() => createWithUpload(toTus.send, small)), smallFiles),
  }
  await measureSides(3, Object.values(many))
  toSvc.close()
  toTus.close()
  await Promise.all([svc.stop(), tus.stop()])

  checkCpu('1 GiB by parts of 8 MiB', large.svc, large.tus, 1)
  // As a rate: at least 2 × @tus/server.
  checkCpu('file of 4 KiB', many.svc, many.tus, 0.5)
}

/** @param upload runs a round @param count how many uploads a round has */
const uploadSide = (name: string, { pid }: Program, upload: () => Promise<void>, count: number): Side =>
  sideOf(
    name,
    pid,
    async () => count / (await seconds(upload)),
    () => count,
  )

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
