import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { emptyPlace, svcServe, type Serving } from '../../packages/cli/test/svc.js'
import { accountToken } from '../account-token.js'
import { fileClient, type FileClient, type FileOutcome } from '../file-client.js'
import { isLong, random } from './random.js'
import { expectRowsStored, knownObjects, storedObjects, sweepAfterLeases } from '../stored-files.js'

/** A killed server loses nothing that it has acknowledged of an upload in parts, and keeps nothing else for long. */

const rounds = isLong ? 60 : 4
const sendersAtOnce = 3
const { integer, pick } = random('files-crash')

/** The bytes of an upload, and the parts that answers have confirmed. */
interface Upload {
  id: number | undefined
  readonly parts: readonly Buffer[]
  readonly confirmed: Set<number>
}

const newUpload = (): Upload => ({
  id: undefined,
  parts: Array.from({ length: integer(4, 12) }, (_, i) => Buffer.alloc(integer(0, 600_000), `${i} `)),
  confirmed: new Set(),
})

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** Sends one part. Every part that was confirmed before must be among the received ones. @returns false if the server is gone */
async function send(client: FileClient, upload: Upload, index: number): Promise<boolean> {
  const before = [...upload.confirmed]
  const sent = await client.sendPart(upload.id, index, upload.parts[index] as Buffer)
  if (sent === undefined) return false
  expect(sent).toMatchObject({ status: 200, data: { index } })
  expect(sent.data['received']).toEqual(expect.arrayContaining(before))
  upload.id = sent.data['upload_id'] as number
  upload.confirmed.add(index)
  return true
}

/** Sends the parts that are missing, and some again. @returns false if the server is gone */
async function sendRest(client: FileClient, upload: Upload): Promise<boolean> {
  if (upload.id === undefined && !(await send(client, upload, integer(0, upload.parts.length - 1)))) return false
  const missing = [...upload.parts.keys()].filter((index) => !upload.confirmed.has(index))
  const again = [...upload.confirmed].filter(() => integer(0, 3) === 0)
  const queue = [...missing, ...again].values()
  const sendNext = async (): Promise<boolean> => {
    for (const index of queue) if (!(await send(client, upload, index))) return false
    return true
  }
  return (await Promise.all(Array.from({ length: sendersAtOnce }, sendNext))).every(Boolean)
}

const finalize = (client: FileClient, { id, parts }: Upload): Promise<FileOutcome> =>
  client.call('files/upload-finalize', {
    upload_id: id,
    name: 'a.bin',
    parts: parts.length,
    sha256: sha256(Buffer.concat(parts)),
  })

it(`an upload continues after kill -9 at any step, ${rounds} times in a row`, async () => {
  await using place = await emptyPlace()
  const token = await accountToken(place, 'ada@example.com', 'files:write')
  const files = new Map<number, string>()
  let upload = newUpload()

  /** Uploads one file after another until the server is gone. */
  async function work(server: Serving): Promise<void> {
    const client = fileClient(server.url, token)
    for (;;) {
      // A finalized upload takes no part, so nothing is sent after a finalize without an answer.
      if (upload.confirmed.size < upload.parts.length && !(await sendRest(client, upload))) return
      const finished = await finalize(client, upload)
      if (finished === undefined) return
      expect(finished).toMatchObject({ status: 200, data: { sha256: sha256(Buffer.concat(upload.parts)) } })
      files.set(finished.data['id'] as number, finished.data['sha256'] as string)
      upload = newUpload()
    }
  }

  for (let round = 0; round < rounds; round++) {
    await using server = await svcServe(place)
    const working = work(server)
    await sleep(pick([0, integer(0, 100), integer(0, 700)]))
    server.child.kill('SIGKILL')
    await Promise.all([working, server.ended])
    await expectRowsStored(place)
  }

  {
    await using server = await svcServe(place)
    const client = fileClient(server.url, token)
    if (upload.confirmed.size < upload.parts.length) expect(await sendRest(client, upload)).toBe(true)
    const finished = await finalize(client, upload)
    expect(finished).toMatchObject({ status: 200, data: { sha256: sha256(Buffer.concat(upload.parts)) } })
    files.set(finished?.data['id'] as number, finished?.data['sha256'] as string)
    for (const [id, expected] of files) {
      const hash = createHash('sha256')
      expect(await client.download(id, (chunk) => hash.update(chunk))).toMatchObject({ status: 200 })
      expect(hash.digest('hex')).toBe(expected)
    }
    const { data } = (await client.call('files')) as NonNullable<FileOutcome>
    // An upload whose finalize was not answered is the same upload, so no file exists twice.
    expect((data['files'] as { id: number }[]).map(({ id }) => id).toSorted()).toEqual([...files.keys()].toSorted())
    expect(await server.stop()).toBe(0)
  }
  await sweepAfterLeases(place)
  await expectRowsStored(place)
  expect([...(await storedObjects(place)).keys()].toSorted()).toEqual(
    [...(await knownObjects(place)).keys()].toSorted(),
  )
})
