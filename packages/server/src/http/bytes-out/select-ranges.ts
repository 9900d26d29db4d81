import type { ByteRange } from '../../ports/blobs/port.js'

/** More ranges than that are not worth their separators (RFC 9110, section 14.2). */
export const maxRanges = 50

/** `2-5`, `2-` or `-5` (RFC 9110, section 14.1.1). */
const rangeForm = /^(?:(\d+)-(\d*)|-(\d+))$/

/**
 * The parts of a content that a Range header asks for, in its order (RFC 9110, section 14.2). Not with `range-parser`: for it,
 * `5-2` and a suffix that is longer than the content are unsatisfiable.
 * @param size of the content, in bytes
 * @returns `whole` also for a header to be ignored: another unit, an invalid range, too many ranges or overlapping ones;
 * `none` if no range is satisfiable
 */
export function selectRanges(header: string, size: number): readonly ByteRange[] | 'whole' | 'none' {
  const [unit, set = ''] = header.split('=', 2)
  const specs = set
    .split(',')
    .map((spec) => spec.trim())
    .filter((spec) => spec !== '')
  if (unit?.trim().toLowerCase() !== 'bytes' || specs.length === 0 || specs.length > maxRanges || size === 0) return 'whole'
  const ranges: ByteRange[] = []
  for (const spec of specs) {
    const range = rangeOf(spec, size)
    if (range === undefined) return 'whole'
    if (range.first <= range.last) ranges.push(range)
  }
  if (ranges.length === 0) return 'none'
  return ranges.length > 1 && totalLength(ranges) > size ? 'whole' : ranges
}

/** @returns undefined for an invalid range; an empty one if it is not satisfiable */
function rangeOf(spec: string, size: number): ByteRange | undefined {
  const found = rangeForm.exec(spec)
  if (!found) return undefined
  const [, first, last, suffix] = found
  if (suffix !== undefined) return { first: Math.max(0, size - Number(suffix)), last: size - 1 }
  if (last === '') return { first: Number(first), last: size - 1 }
  if (Number(last) < Number(first)) return undefined
  return { first: Number(first), last: Math.min(Number(last), size - 1) }
}

export const lengthOf = ({ first, last }: ByteRange): number => last - first + 1

const totalLength = (ranges: readonly ByteRange[]): number => ranges.reduce((sum, range) => sum + lengthOf(range), 0)
