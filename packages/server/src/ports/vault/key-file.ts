import { link, open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { codeOf, giveToFolderOwner, giveToOwnerOf } from '../../shared/private-file.js'
import { OperatorError } from '../../shared/operator-error.js'
import { MasterKey } from '../../shared/master-key.js'
import { removeAbandoned, removeTemporary, temporaryOf } from '../../shared/temporary-file.js'
import { assertUsableFile, makeDirectory, pathError, problemOf } from '../../shared/usable-path.js'

/** 64 digits and a line end, which may be that of Windows. */
const fileMaxBytes = 66

/** A process needs its temporary file for much less. */
const abandonedAfterMs = 60_000

/** Removes temporary files of a key file that a killed process has left: they contain keys. */
export const removeAbandonedKeys = (file: string): Promise<void> => removeAbandoned(file, abandonedAfterMs)

const otherwise = 'set SVC_MASTER_KEY'
const fileRole = { name: 'The master key file', otherwise }

/**
 * Reads a master key from its file.
 * @returns undefined if the file does not exist
 * @throws OperatorError for a file that other users can access, cannot be read, or is not a key
 */
export async function readKeyFile(file: string): Promise<MasterKey | undefined> {
  let text: string
  try {
    // Before it is opened: opening a named pipe would wait for its writer.
    await assertUsableFile(file, fileRole, 'read')
    text = await readPrivateText(file)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw toOperatorError(error, file, 'read')
  }
  const key = MasterKey.parse(text.replace(/\r?\n$/, ''))
  if (key === undefined)
    throw new OperatorError(
      `The master key file ${file} does not contain 64 hexadecimal digits: restore it from its backup.`,
    )
  return key
}

/** @returns the contents; an empty text if they are too long for a key */
async function readPrivateText(file: string): Promise<string> {
  await using handle = await open(file, 'r')
  const stats = await handle.stat()
  const mode = stats.mode & 0o777
  if ((mode & 0o077) !== 0)
    throw new OperatorError(
      `The master key file ${file} has the mode ${mode.toString(8).padStart(4, '0')}, so other users can access it: run chmod 600 on it. If they may have read it, run svc key rotate.`,
    )
  return stats.isFile() && stats.size > fileMaxBytes ? '' : await handle.readFile('latin1')
}

/**
 * Writes a new key to a file that does not exist, readable for its owner only. The file is never there in part, and is durable.
 * @param ownedLike a file whose owner gets the new one: operators often run commands as root
 * @returns false if the file exists: it is unchanged
 */
export async function createKeyFile(file: string, key: MasterKey, ownedLike?: string): Promise<boolean> {
  const temporary = temporaryOf(file)
  try {
    await makeDirectory(dirname(file), { name: 'The directory', otherwise })
    await removeAbandonedKeys(file)
    await writeDurably(temporary, `${key.format()}\n`)
    if (ownedLike !== undefined) giveToOwnerOf(ownedLike, temporary)
    return await linkDurably(temporary, file)
  } catch (error) {
    throw toOperatorError(error, file, 'written')
  } finally {
    await removeTemporary(temporary)
  }
}

/** Unlike a rename, a link does not replace an existing file. @returns false if there is one */
async function linkDurably(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
  await syncFolderOf(to)
  return true
}

/** Puts the file of the new key into the place of the old one, durably. */
export async function replaceKeyFile(file: string, newFile: string): Promise<void> {
  try {
    await rename(newFile, file)
    await syncFolderOf(file)
  } catch (error) {
    if (codeOf(error) === 'EBUSY')
      throw new OperatorError(
        `The master key file ${file} is a mount point, so it cannot be replaced (EBUSY): copy the contents of ${newFile} into it, run svc key rotate again, and then delete ${newFile}.`,
        1,
        { cause: error },
      )
    throw toOperatorError(error, file, 'replaced')
  }
}

async function writeDurably(file: string, text: string): Promise<void> {
  await using handle = await open(file, 'wx', 0o600)
  giveToFolderOwner(file)
  await handle.writeFile(text)
  await handle.sync()
}

async function syncFolderOf(file: string): Promise<void> {
  await using folder = await open(dirname(file), 'r')
  await folder.sync()
}

function toOperatorError(error: unknown, file: string, what: string): unknown {
  if (error instanceof OperatorError || codeOf(error) === undefined) return error
  const path = what === 'read' ? file : dirname(file)
  return pathError(file, fileRole, problemOf(error, path), error)
}
