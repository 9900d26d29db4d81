import { promisify } from 'node:util'
import { buffer } from 'node:stream/consumers'
import { fromBuffer, type Entry, type ZipFile } from 'yauzl'
import { expect, it } from 'vitest'
import { zipFolder } from './zip-folder.js'

const never = new AbortController().signal

async function unzip(zip: Blob): Promise<Record<string, string>> {
  const open = promisify<Buffer, { lazyEntries: boolean }, ZipFile>(fromBuffer)
  const archive = await open(Buffer.from(await zip.arrayBuffer()), { lazyEntries: true })
  const files: Record<string, string> = {}
  return new Promise((resolve, reject) => {
    archive.on('entry', (entry: Entry) => {
      archive.openReadStream(entry, (error, stream) => {
        if (error) {
          reject(error)
          return
        }
        void buffer(stream).then((content) => {
          files[entry.fileName] = content.toString('latin1')
          archive.readEntry()
        }, reject)
      })
    })
    archive.on('end', () => resolve(files))
    archive.on('error', reject)
    archive.readEntry()
  })
}

it('zips texts, images, empty files and names beyond ASCII', async () => {
  const text = 'hello '.repeat(100_000)
  const image = crypto.getRandomValues(new Uint8Array(50_000))
  const read: number[] = []
  const zip = await zipFolder(
    [
      { path: 'index.html', file: new Blob([text]) },
      { path: 'img/größe.png', file: new Blob([image]) },
      { path: 'empty.txt', file: new Blob([]) },
    ],
    { onRead: (bytes) => read.push(bytes), signal: never },
  )
  expect(zip.size).toBeLessThan(60_000)
  expect(await unzip(zip)).toEqual({
    'index.html': text,
    'img/größe.png': Buffer.from(image).toString('latin1'),
    'empty.txt': '',
  })
  expect(read.at(-1)).toBe(text.length + image.length)
})

it('stops between two chunks', async () => {
  const stopper = new AbortController()
  const files = [{ path: 'a.bin', file: new Blob([new Uint8Array(1_000_000)]) }]
  const zipping = zipFolder(files, { onRead: () => stopper.abort(), signal: stopper.signal })
  await expect(zipping).rejects.toMatchObject({ name: 'AbortError' })
})
