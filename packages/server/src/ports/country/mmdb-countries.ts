import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Reader, type CountryResponse } from 'maxmind'
import { OperatorError } from '../../shared/operator-error.js'
import { countryCode } from './country-code.js'
import type { Countries } from './port.js'
import { publicAddress } from '../../shared/special-addresses.js'

/** A record of a file: flat in the files of ip-location-db, nested in MaxMind's files (such as GeoLite2-Country). */
type CountryRecord = CountryResponse & { readonly country_code?: string }

/** The bundled country database: RIR and RouteViews data by ip-location-db (NRO, CC BY 4.0). */
export const bundledCountries = (): string =>
  createRequire(import.meta.url).resolve('@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb')

/** Maximum number of pointers in the record of one address. A country's record has a few; in a damaged one they may form a loop. */
const pointersMax = 1000

/**
 * Countries from a MaxMind DB file. This function checks the end of the file. The first look-up reads the file (8 MB in about
 * 10 ms), so that a server without such requests does not need the memory. If the file is damaged, the country is null. An
 * unreadable file is not read again.
 * @param report called once, at the first look-up that fails because the file is damaged
 * @throws OperatorError that names the file, if it is missing or not a MaxMind DB file
 */
export function mmdbCountries(file: string, report: (error: unknown) => void): Countries {
  checkMmdb(file)
  let lookUp: ((address: string) => string | null) | undefined
  let isReported = false
  const damaged = (error: unknown): null => {
    if (!isReported) report(error)
    isReported = true
    return null
  }
  const open = () => {
    try {
      return lookUpIn(read(file))
    } catch (error) {
      damaged(error)
      return () => null
    }
  }
  return {
    countryOf(ip) {
      const address = publicAddress(ip)
      if (address === undefined) return null
      lookUp ??= open()
      try {
        return lookUp(address)
      } catch (cause) {
        return damaged(new Error(`The country database ${file} is damaged.`, { cause }))
      }
    },
  }
}

/** @returns a function that throws the reader's errors for damaged data */
function lookUpIn({ reader, pointers }: OpenedFile): (address: string) => string | null {
  return (address) => {
    // In a file for IPv4 only, the first four bytes of an IPv6 address would be read as an IPv4 address.
    if (reader.metadata.ipVersion === 4 && address.includes(':')) return null
    pointers.followed = 0
    const record = reader.get(address)
    const code: unknown = record?.country_code ?? record?.country?.iso_code ?? ''
    if (typeof code !== 'string') throw new TypeError('The country code is not a text.')
    return countryCode(code)
  }
}

/** MaxMind DB 2.0: the start of the metadata, and its largest distance from the end of the file. */
const marker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')
const metadataMaxBytes = 128 * 1024

/** Checks the end of the file only. A truncated file or a file of another type has no metadata there. */
function checkMmdb(file: string): void {
  let end: Buffer
  try {
    end = endOf(file, metadataMaxBytes)
  } catch (cause) {
    const { code = 'no reason given' } = cause as NodeJS.ErrnoException
    throw new OperatorError(`The country database ${file} cannot be read (${code}).`, 2, { cause })
  }
  if (!end.includes(marker)) throw unusable(file)
}

function endOf(file: string, bytes: number): Buffer {
  const descriptor = openSync(file, 'r')
  try {
    const end = Buffer.alloc(bytes)
    const start = Math.max(0, fstatSync(descriptor).size - bytes)
    return end.subarray(0, readSync(descriptor, end, 0, bytes, start))
  } finally {
    closeSync(descriptor)
  }
}

interface OpenedFile {
  readonly reader: Reader<CountryRecord>
  readonly pointers: { followed: number }
}

function read(file: string): OpenedFile {
  const pointers = { followed: 0 }
  // The reader calls its cache at every pointer. It has no limit on pointers, so the cache enforces one.
  const cache = {
    get: () => {
      pointers.followed += 1
      if (pointers.followed > pointersMax) throw new RangeError('A record has too many pointers.')
      return undefined
    },
    set: () => undefined,
  }
  try {
    return { reader: new Reader<CountryRecord>(readFileSync(file), { cache }), pointers }
  } catch (cause) {
    throw unusable(file, cause)
  }
}

const unusable = (file: string, cause?: unknown) =>
  new OperatorError(`The country database ${file} is not a complete MaxMind DB file.`, 2, { cause })
