/**
 * Names in wire format (RFC 1035, section 3.1): labels, each after its length, and an empty one at the end.
 *
 * As keys of maps, names are strings of the same octets in lower case, without the root label: `\x03www\x07example\x03com`.
 * The name of a question becomes a key in one pass over its octets. Each parent name is a `slice` of the key, and a label
 * has the same offset in the key as in the name of the message.
 */

/** Maximum length of a name in octets, including the root label (RFC 1035, section 2.3.4). */
export const nameMax = 255
const labelMax = 63

/** Names that svc serves are printable ASCII: IDNs are in Punycode. */
const printable = /^[!-~]*$/

/**
 * Writes an absolute name, given with or without a trailing dot, in lower case.
 * @returns the offset after the name
 * @throws RangeError for an invalid name
 */
export function writeName(text: string, to: Buffer, at: number): number {
  const end = writeLabels(text.endsWith('.') ? text.slice(0, -1) : text, to, at)
  if (end - at >= nameMax) throw new RangeError(`The name ${text} is longer than ${nameMax} octets.`)
  to[end] = 0
  return end + 1
}

/** Writes labels without the root label. @returns the offset after them @throws RangeError for an invalid name */
export function writeLabels(text: string, to: Buffer, at: number): number {
  if (!printable.test(text))
    throw new RangeError(`The name ${JSON.stringify(text)} has characters other than printable ASCII.`)
  if (text.length >= nameMax) throw new RangeError(`The name ${text} is longer than ${nameMax} octets.`)
  if (text === '') return at
  let end = at
  for (const label of text.toLowerCase().split('.')) {
    if (label === '' || label.length > labelMax)
      throw new RangeError(`The name ${text} has a label that is empty or longer than ${labelMax} octets.`)
    to[end] = label.length
    end += 1 + to.write(label, end + 1, 'latin1')
  }
  return end
}

const scratch = Buffer.alloc(2 * nameMax)

/** The key of a name. Always a new string, never a slice that would keep a longer one in memory. */
export const keyOf = (text: string): string => scratch.toString('latin1', 0, writeLabels(text, scratch, 0))

/** The key of a name, relative to its zone; empty for the apex. @throws RangeError for a name outside the zone */
export function keyWithin(zone: string, name: string): string {
  if (name === zone) return ''
  if (!isWithin(zone, name)) throw new RangeError(`The name ${name} is not in the zone ${zone}.`)
  const key = keyOf(name.slice(0, -zone.length - 1))
  if (key.length + zone.length + 2 > nameMax) throw new RangeError(`The name ${name} is longer than ${nameMax} octets.`)
  return key
}

/** Whether a name is below the zone's apex. */
export const isWithin = (zone: string, name: string): boolean =>
  name.endsWith(zone) && name.at(-zone.length - 1) === '.'

/** The name of a key, in presentation format without a trailing dot. */
export function textOf(key: string): string {
  const labels: string[] = []
  for (let at = 0; at < key.length; at = nextLabel(key, at)) labels.push(key.slice(at + 1, nextLabel(key, at)))
  return labels.join('.')
}

/** The offset of the label after the one at `at`. */
export const nextLabel = (key: string, at: number): number => at + 1 + key.charCodeAt(at)

export function countLabels(key: string, from = 0): number {
  let count = 0
  for (let at = from; at < key.length; at = nextLabel(key, at)) count++
  return count
}
