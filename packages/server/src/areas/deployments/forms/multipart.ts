import { setImmediate as nextTurn } from 'node:timers/promises'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { ApiError, badRequest } from '@svc/contract/errors'
import { quoted } from '../../../shared/quoted.js'
import { pairsMax, tooManyPairs, type Pair } from './fields.js'

/** Busboy does no I/O. What it has not done within so many turns of the event loop it never does. */
const maxTurns = 20

/** Larger than any body, so that busboy parses it in one step. */
const bufferBytes = 1024 * 1024

const limits = { fields: pairsMax, parts: pairsMax + 20, files: 20, fieldSize: bufferBytes, headerPairs: 20 }

/**
 * Reads the fields of a form (RFC 7578).
 * @param contentType the header, with the boundary
 * @throws ApiError `bad_request` for a form that is malformed or has files
 */
export async function readMultipart(contentType: string, body: Buffer): Promise<readonly Pair[]> {
  const pairs: Pair[] = []
  const busboy = open(contentType)
  const parsed = new Promise<void>((resolve, reject) => {
    let isParsing = true
    // Ends the parsing too: 128 KiB of empty parts beyond the limit would take 50 ms.
    const stop = () => {
      reject(tooManyPairs())
      if (isParsing) throw tooManyPairs()
    }
    busboy
      .on('field', (name: string | undefined, value) => pairs.push([name ?? '', value]))
      .on('file', (field, file, name: string | undefined) => {
        // A browser sends a part without a name and bytes for a file input that was left empty.
        if (name) reject(aFile(field))
        file.on('data', () => reject(aFile(field))).on('error', () => reject(malformed()))
      })
      .on('fieldsLimit', stop)
      .on('partsLimit', stop)
      .on('filesLimit', stop)
      .on('error', () => reject(malformed()))
      .on('finish', resolve)
    try {
      busboy.end(body)
    } catch {
      // Busboy throws at some malformed headers.
      reject(malformed())
    } finally {
      isParsing = false
    }
  })
  await Promise.race([parsed, failAfterTurns()])
  return pairs
}

async function failAfterTurns(): Promise<never> {
  for (let turn = 0; turn < maxTurns; turn++) await nextTurn()
  throw malformed()
}

/** @throws ApiError `bad_request` for a header without a boundary */
function open(contentType: string): BusboyInstance {
  try {
    return new Busboy({ headers: { 'content-type': contentType }, highWaterMark: bufferBytes, limits })
  } catch {
    throw malformed()
  }
}

const malformed = () =>
  new ApiError('bad_request', 'The body is not a complete form of the type multipart/form-data (RFC 7578).')

const aFile = (field: string | undefined) =>
  badRequest(`The field ${quoted(field ?? '')}`, 'is a file: forms accept text only')
