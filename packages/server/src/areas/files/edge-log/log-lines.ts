import type { Traffic } from '../sharing/traffic-counts.js'

/**
 * The format of the log, for `varnishncsa -F`: tab-separated fields. varnishncsa escapes tabs and line ends in the fields.
 * varnishncsa(1), "FORMAT".
 */
export const logFormat = String.raw`%m\t%{Host}i\t%U\t%s\t%b\t%{Varnish:hitmiss}x`

/** A request for a share link. */
interface LinkRequest {
  readonly key: string
  readonly traffic: Traffic
}

const form =
  /^(?<method>[!-~]{1,32})\t(?<host>[^\t]*)\t(?<path>[^\t]*)\t(?<status>\d{3}|-)\t(?<bytes>\d{1,15}|-)\t(?<source>hit|miss|-)$/

/** Answers with a file, also without its bytes: 304, 412 for a failed condition, and 416 for an unsatisfiable range. */
const counted = new Set(['200', '206', '304', '412', '416'])

/**
 * Reads a line of the log.
 * @returns `other` for a request that is not answered with a shared file
 */
export function readLine(line: string, isContentHost: (host: string) => boolean): LinkRequest | 'other' | 'malformed' {
  const fields = form.exec(line)?.groups
  if (fields === undefined) return 'malformed'
  const { method = '', host = '', path = '', status = '', bytes = '', source } = fields
  const isAnswered = (method === 'GET' || method === 'HEAD') && counted.has(status)
  const key = /^\/s\/([^/]+)\//.exec(path)?.[1]
  if (!isAnswered || key === undefined || !isContentHost(host)) return 'other'
  return {
    key: decoded(key),
    traffic: {
      requests: 1,
      hits: Number(source === 'hit'),
      misses: Number(source === 'miss'),
      bytesServed: bytes === '-' ? 0 : Number(bytes),
    },
  }
}

/** A client may encode any character of a path. A key that cannot be decoded belongs to no file. */
function decoded(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}

/** Characters. A longer line is not part of the log: Varnish cuts each field at 255 bytes (`vsl_reclen`). */
const lineMax = 16_384

/** Takes the place of a line that is too long: no line of the log has this character. */
const tooLong = '\0'

/** Splits a log into lines as it arrives; yields the lines that each chunk completes. Memory does not grow with a line. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1')).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > lineMax) rest = tooLong
    yield lines
  }
  if (rest !== '') yield [rest]
}
