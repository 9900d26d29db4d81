import { limitSettings } from '../config/account-limits.js'
import { InvalidSetting } from '../config/setting.js'
import { limitNames, type LimitName } from '../shared/account-limits.js'
import { OperatorError } from '../shared/operator-error.js'
import { quoted } from '../shared/quoted.js'
import type { LimitChanges } from './limits-store.js'

const wrong = (message: string) => new OperatorError(message, 2)

const isLimitName = (name: string): name is LimitName => (limitNames as readonly string[]).includes(name)

/** Decimal units, as svc writes them, and the binary ones. */
const unitBytes: Readonly<Record<string, number>> = {
  kb: 1000,
  mb: 1000 ** 2,
  gb: 1000 ** 3,
  tb: 1000 ** 4,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
  tib: 1024 ** 4,
}

const size = /^(?<number>\d{1,12})(?<unit>[kmgt]i?b)$/i

/**
 * Reads the limits of `svc user limit` and `svc plan set`: `zones=50 files=10GB sites=default`. A size for a resource that is counted
 * too is the limit of its bytes: `files=10GB` is `files_bytes=10000000000`.
 * @returns null for the limit of the plan or the setting
 * @throws OperatorError that names the accepted values
 */
export function limitChanges(given: readonly string[]): LimitChanges {
  const changes: Partial<Record<LimitName, number | null>> = {}
  for (const text of given) {
    const [, name = '', value = ''] = /^([^=]+)=(.+)$/s.exec(text) ?? []
    if (name === '')
      throw wrong(`A limit must be RESOURCE=NUMBER, such as zones=50 or files=10GB, not ${quoted(text)}.`)
    const limit = limitNameOf(name.trim().toLowerCase().replaceAll('-', '_'), value)
    if (limit in changes) throw wrong(`${limit} is given twice.`)
    changes[limit] = value === 'default' ? null : limitValue(limit, value)
  }
  return changes
}

function limitNameOf(name: string, value: string): LimitName {
  const ofBytes = `${name}_bytes`
  if (size.test(value) && !name.endsWith('_bytes') && isLimitName(ofBytes)) return ofBytes
  if (isLimitName(name)) return name
  throw wrong(`There is no limit ${quoted(name)}; the limits are ${limitNames.join(', ')}.`)
}

function limitValue(name: LimitName, value: string): number {
  const { number, unit } = size.exec(value)?.groups ?? {}
  if (unit !== undefined && !name.endsWith('_bytes'))
    throw wrong(`${name} is a number without a unit, not ${quoted(value)}.`)
  const digits = unit === undefined ? value : String(Number(number) * (unitBytes[unit.toLowerCase()] ?? 1))
  try {
    return limitSettings[name].parse(digits)
  } catch (error) {
    if (!(error instanceof InvalidSetting)) throw error
    throw wrong(`${name} ${error.message}, or default, not ${quoted(value)}.`)
  }
}
