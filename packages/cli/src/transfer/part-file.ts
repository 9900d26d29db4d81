import { createHash, randomBytes } from 'node:crypto'
import { readdir, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** The file that a download fills, beside its target: a rename is atomic only within a file system. */
export interface PartFile {
  readonly path: string
  /** Bytes that an earlier run has received. */
  readonly length: number
  /** Whether another run of the command can continue it. */
  readonly isKept: boolean
}

/** Room for the rest of the name: a name has at most 255 bytes, and a character at most four. */
const nameLength = 50

const suffix = '.svc-part'

/**
 * Finds the part that an earlier run has left of the same bytes. Its name shows the target, and has a hash of the entity tag: bytes of
 * another version are never continued. Parts of other versions are removed.
 * @param etag strong; undefined if the bytes cannot be continued
 */
export async function partFileOf(target: string, etag: string | undefined): Promise<PartFile> {
  const [folder, name] = [dirname(target), basename(target)]
  if (etag === undefined) {
    const path = join(folder, `${name.slice(0, nameLength)}.${randomBytes(6).toString('hex')}${suffix}`)
    return { path, length: 0, isKept: false }
  }
  const own = `${name.slice(0, nameLength)}.${hashOf(name, etag)}${suffix}`
  for (const stale of (await otherParts(folder, name)).filter((part) => part !== own))
    await rm(join(folder, stale), { force: true })
  const path = join(folder, own)
  const found = await stat(path).catch(() => undefined)
  return { path, length: found?.isFile() ? found.size : 0, isKept: true }
}

const hashOf = (name: string, etag: string) =>
  createHash('sha256')
    .update(JSON.stringify([name, etag]))
    .digest('hex')
    .slice(0, 12)

/** The parts of a target. A long name is cut, so another target may have the same beginning: its parts stay. */
async function otherParts(folder: string, name: string): Promise<string[]> {
  if (name.length > nameLength) return []
  // A missing folder is reported when the part is opened.
  const names = await readdir(folder).catch((): string[] => [])
  return names.filter(
    (found) => found.startsWith(`${name}.`) && /^[0-9a-f]{12}\.svc-part$/.test(found.slice(name.length + 1)),
  )
}
