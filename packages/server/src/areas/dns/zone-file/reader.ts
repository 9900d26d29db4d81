import { ApiError } from '@svc/contract/errors'
import { ttlMax, ttlMin } from '@svc/contract/limits'
import { knownTopLevelOf } from '../../../ports/dns/domain-names.js'
import { nameMaxLength, parseName } from '../../../ports/dns/presentation/name.js'
import { quoted } from '../../../shared/quoted.js'
import { checkRecord } from '../records/check.js'
import { relativeHost } from '../values/host.js'
import { reverseHostProblem } from '../values/reverse-host.js'
import { runAtOnce } from '../../../shared/time-slices.js'
import { Remarks } from './remarks.js'
import { readEntries, type Entry, type Remark, type Token } from './lexer.js'
import { givenValue, ttlOf, lineError } from './rdata.js'
import { ReadRecords, type ReadRecord } from './records.js'
import { typeOf } from './types.js'

export interface ZoneFile {
  readonly records: readonly ReadRecord[]
  /** Skipped lines, and values that were changed, such as a ttl that was raised. */
  readonly notes: readonly Remark[]
  /** How many more notes there were. */
  readonly otherNotes: number
  /** Invalid lines, each with its fix. If there is one, nothing of the file may be used. */
  readonly problems: readonly Remark[]
}

export interface ZoneFileLimits {
  /** How many records a zone may hold: reading stops at one more. */
  readonly recordsMax: number
}

/** How many records and directives of a file are read for each record that a zone may hold: signed zones have five. */
const entriesPerRecord = 20
const fewestEntries = 10_000

/**
 * Reads a zone file (RFC 1035, section 5) as the records of one zone. Skips with a note: the SOA record and the NS
 * records at the apex, which the platform sets, and records of types that it does not serve.
 * Reading stops at too many records or problems, so that a wrong file of any size ends soon.
 * @param zone canonical
 */
export const readZoneFile = (zone: string, text: string, limits: ZoneFileLimits): ZoneFile =>
  runAtOnce(zoneFileSteps(zone, text, limits))

/** The same as a computation that can be interrupted after each record, and after many lines without one. */
export function* zoneFileSteps(
  zone: string,
  text: string,
  { recordsMax }: ZoneFileLimits,
): Generator<undefined, ZoneFile> {
  const problems = new Remarks()
  const reader = new Reader(zone, recordsMax)
  let left = entriesPerRecord * recordsMax + fewestEntries
  for (const found of readEntries(text)) {
    if (found === undefined) {
      yield
      continue
    }
    if ('text' in found) problems.add(found)
    else {
      const problem = problemOf(() => reader.take(found))
      if (problem !== undefined) problems.add({ line: found.line, text: problem })
    }
    left -= 1
    if (left < 0)
      problems.add({
        line: found.line,
        text: 'The file has too many directives and records of unserved types. The rest was not read.',
      })
    if (left < 0 || reader.isFull || problems.isFull) break
    yield
  }
  reader.notes.add(...reader.records.notes())
  const inOrder = ({ list }: Remarks) => list.toSorted((a, b) => a.line - b.line)
  const { notes, records } = reader
  return { records: records.all(), notes: inOrder(notes), otherNotes: notes.others, problems: inOrder(problems) }
}

function problemOf(act: () => void): string | undefined {
  try {
    act()
    return undefined
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return error.message
  }
}

class Reader {
  readonly records: ReadRecords
  readonly notes = new Remarks()
  /** Whether the file has more records than may be read. */
  isFull = false
  /** Without the trailing dot; the root is empty. */
  #origin: string
  #owner: string | undefined
  #hostOf = { name: '', host: '' }
  /** Default ttls: of `$TTL` (RFC 2308, section 4), of the last record with a ttl (RFC 1035, section 5.1), of the SOA. */
  #ttl: { directive?: number; last?: number; soa?: number } = {}
  #line = 0

  constructor(
    private readonly zone: string,
    recordsMax: number,
  ) {
    this.#origin = zone
    this.records = new ReadRecords(recordsMax)
  }

  take({ line, isIndented, tokens }: Entry): void {
    this.#line = line
    const [first, ...rest] = tokens
    if (first === undefined) return
    if (!isIndented && !first.isQuoted && first.text.startsWith('$')) this.#directive(first.text.toUpperCase(), rest)
    else {
      if (!isIndented) this.#owner = this.#absolute(first.text)
      this.#record(isIndented ? tokens : rest)
    }
  }

  #directive(name: string, [argument, ...more]: readonly Token[]): void {
    if (name === '$INCLUDE') throw lineError('$INCLUDE is not followed: put what that file says in its place.')
    if (name === '$GENERATE')
      throw lineError('$GENERATE is not read: write the records out, as named-compilezone does.')
    if (name !== '$ORIGIN' && name !== '$TTL')
      throw lineError(
        `${/^\$\w{1,30}$/.test(name) ? name : quoted(name)} is not a directive; the directives are $ORIGIN and $TTL.`,
      )
    const ttl = argument && ttlOf(argument)
    if (argument === undefined || more.length > 0 || (name === '$TTL' && ttl === undefined))
      throw lineError(
        `${name} takes ${name === '$TTL' ? 'a time, such as 3600 or 1h' : 'a name, such as example.com.'}`,
      )
    if (name === '$ORIGIN') this.#origin = this.#newOrigin(argument.text)
    else if (ttl !== undefined) this.#ttl.directive = ttl
  }

  /** Without its trailing dot, a whole domain would silently stand for a name below the zone. */
  #newOrigin(given: string): string {
    const origin = this.#absolute(given)
    const name = unescapedName(given)
    // The rules reject longer texts as invalid names.
    if (origin === name || name.endsWith('.') || name.length > nameMaxLength) return origin
    const hint = `$ORIGIN ${name} stands for ${origin}: is its trailing dot missing?`
    const domain = name.toLowerCase()
    if (`.${domain}`.endsWith(`.${this.zone}`)) throw lineError(`${hint} If not, write ${origin}. in full.`)
    if (name.includes('.') && knownTopLevelOf(domain) !== undefined) this.#note(hint)
    return origin
  }

  #record(withoutOwner: readonly Token[]): void {
    if (this.#owner === undefined) throw lineError('begins with a blank, but no record before it has named an owner.')
    const { ttl, tokens } = afterTtlAndClass(withoutOwner)
    const [word, ...fields] = tokens
    if (word === undefined) throw lineError('has no type: a record is written as "www 3600 IN A 192.0.2.1".')
    const { type, other } = typeOf(word.text)
    if (ttl !== undefined) this.#ttl.last = ttl
    if (other === 'SOA') this.#soa(fields)
    else if (type === undefined) this.#note(`${other} records are not served here: skipped`)
    else {
      const host = this.#host(this.#owner)
      if (type === 'NS' && host === '@') this.#note("NS records at the apex are the platform's own: skipped")
      else {
        const given = { type, host, ...this.#ttlFor(ttl), ...givenValue(type, fields, (name) => this.#target(name)) }
        const odd = type === 'PTR' ? reverseHostProblem(this.zone, host) : undefined
        if (odd !== undefined) this.#note(`the host ${odd}: imported nevertheless`)
        const problem = this.records.add(this.#line, checkRecord(this.zone, given))
        this.isFull = problem !== undefined
        if (problem !== undefined) throw lineError(problem)
      }
    }
  }

  /** The last field is the default ttl if the file has no other one, as it was before RFC 2308. */
  #soa(fields: readonly Token[]): void {
    const last = fields.at(-1)
    const ttl = last && ttlOf(last)
    if (ttl !== undefined) this.#ttl.soa = ttl
    this.#note("the SOA record is the platform's own: skipped")
  }

  /** Clamps the ttl to the platform's bounds: a ttl that another host allows must not prevent an import. */
  #ttlFor(explicit: number | undefined): { ttl?: number } {
    const ttl = explicit ?? this.#ttl.directive ?? this.#ttl.last ?? this.#ttl.soa
    if (ttl === undefined) return {}
    if (ttl < ttlMin) this.#note(`ttl ${ttl} is raised to ${ttlMin}, the minimum`)
    if (ttl > ttlMax) this.#note(`ttl ${ttl} is lowered to ${ttlMax}, the maximum`)
    return { ttl: Math.min(Math.max(ttl, ttlMin), ttlMax) }
  }

  #host(name: string): string {
    if (this.#hostOf.name !== name) this.#hostOf = { name, host: hostIn(this.zone, name) }
    return this.#hostOf.host
  }

  /** A name in a value. */
  #target(given: string): string {
    const name = this.#absolute(given)
    // The rules reject longer texts as invalid names.
    if (name !== given && given.length <= nameMaxLength && `.${given.toLowerCase()}`.endsWith(`.${this.zone}`))
      this.#note(`${given} has no dot at its end, so it stands for ${name}`)
    return name
  }

  /**
   * Completes a name: `@` is the origin, and a name without a trailing dot is relative to it.
   * @returns a name without its trailing dot; `.` for the root
   */
  #absolute(given: string): string {
    const name = unescapedName(given)
    if (name === '@') return this.#origin
    if (name.endsWith('.')) return name.slice(0, -1) || '.'
    return this.#origin === '.' ? name : `${name}.${this.#origin}`
  }

  #note(text: string): void {
    this.notes.add({ line: this.#line, text })
  }
}

/** Ttl and class are optional and come in either order (RFC 1035, section 5.1). */
function afterTtlAndClass(tokens: readonly Token[]): { ttl: number | undefined; tokens: readonly Token[] } {
  let ttl: number | undefined
  let found: string | undefined
  for (const [at, token] of tokens.entries()) {
    const time = ttl === undefined ? ttlOf(token) : undefined
    const name = found === undefined ? classOf(token) : undefined
    if (time === undefined && name === undefined) return { ttl, tokens: tokens.slice(at) }
    ttl ??= time
    found ??= name
  }
  return { ttl, tokens: [] }
}

/** @throws ApiError `bad_request` for a class other than IN */
function classOf({ text, isQuoted }: Token): string | undefined {
  const name = /^(IN|CH|CHAOS|HS|HESIOD|CS|NONE|ANY|CLASS\d{1,5})$/i.exec(isQuoted ? '' : text)?.[0].toUpperCase()
  if (name === undefined || name === 'IN' || name === 'CLASS1') return name
  throw lineError(`class ${name} is not served: IN is the only one.`)
}

/** The host of a name, relative to the zone, as in the API. @throws ApiError `bad_request` */
function hostIn(zone: string, given: string): string {
  const { labels, problem } = parseName(given, { underscores: true, wildcard: true })
  if (problem !== undefined) throw lineError(`the owner ${quoted(given)} is not a name: ${problem}.`)
  const name = labels.join('.')
  const host = relativeHost(zone, name)
  if (host !== undefined) return host
  throw lineError(
    `the owner ${name} is not in the zone ${zone}: is this the right zone, or is the trailing dot of $ORIGIN missing?`,
  )
}

/** Maximum characters of a name, if each is escaped with three digits. */
const longestName = 4 * nameMaxLength

/** Resolves escaped letters (RFC 1035, section 5.1). Other escapes stay: no name may have them, and they are refused later. */
function unescapedName(given: string): string {
  if (given.length > longestName) return given
  return given.replaceAll(/\\(?:(\d{3})|(.))/g, (escape, decimal: string | undefined, character = '') => {
    const plain = decimal === undefined ? String(character) : String.fromCharCode(Number(decimal))
    return /^[\w*-]$/.test(plain) ? plain : escape
  })
}
