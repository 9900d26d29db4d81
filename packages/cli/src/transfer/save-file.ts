import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { open, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { OperatorError } from '@svc/server'
import { beforeSignal } from './before-signal.js'

export interface Target {
  readonly path: string
  /** A device or a named pipe: its bytes cannot be replaced whole. */
  readonly isSpecial: boolean
}

/** @throws OperatorError for a file that exists, unless it may be replaced */
export async function expectFree(path: string, isForced: boolean): Promise<void> {
  if (!isForced && (await kindOf(path)) === 'file') throw exists(path)
}

/**
 * Finds the file to write. @throws OperatorError for a file that exists, unless it may be replaced
 * @param name the name of the file if `output` is a folder
 */
export async function targetOf(output: string, name: () => string, isForced: boolean): Promise<Target> {
  const path = (await kindOf(output)) === 'folder' ? join(output, name()) : output
  const kind = await kindOf(path)
  if (kind === 'folder') throw new OperatorError(`${path} is a folder: give a file.`)
  if (kind === 'file' && !isForced) throw exists(path)
  // A symbolic link stays: the file that it names is replaced.
  return { path: kind === 'file' ? await realpath(path) : path, isSpecial: kind === 'special' }
}

const exists = (path: string) => new OperatorError(`${path} exists: add --force to replace it.`)

async function kindOf(path: string): Promise<'missing' | 'folder' | 'file' | 'special'> {
  try {
    const found = await stat(path)
    return found.isDirectory() ? 'folder' : found.isFile() ? 'file' : 'special'
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'missing'
    throw unwritable(path, error)
  }
}

/** Writes a file that appears only when it is complete. @throws OperatorError of the file system; the error of `bytes` */
export async function saveFile({ path, isSpecial }: Target, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  if (isSpecial) {
    await write(path, 'w', bytes, path)
    return
  }
  // In the same folder, because a rename is atomic only within a file system.
  const temporary = join(dirname(path), `.${randomBytes(6).toString('hex')}.svc-part`)
  const ignoreSignals = beforeSignal(() => rmSync(temporary, { force: true }))
  try {
    await write(temporary, 'wx', bytes, path)
    await rename(temporary, path).catch((error: unknown) => {
      throw unwritable(path, error)
    })
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  } finally {
    ignoreSignals()
  }
}

/** @param target the file that errors name */
async function write(path: string, flags: 'w' | 'wx', bytes: AsyncIterable<Uint8Array>, target: string): Promise<void> {
  const failed = (error: unknown) => {
    throw unwritable(target, error)
  }
  const handle = await open(path, flags).catch(failed)
  try {
    for await (const chunk of bytes) await handle.writeFile(chunk).catch(failed)
    if (flags === 'wx') await handle.sync().catch(failed)
  } finally {
    // A file system in the network may report a full disk only now.
    await handle.close().catch(failed)
  }
}

const unwritable = (path: string, error: unknown) =>
  new OperatorError(`${path} cannot be written: ${(error as Error).message}`, 1, { cause: error })
