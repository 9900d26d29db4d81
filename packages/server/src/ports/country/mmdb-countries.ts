import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Reader, type CountryResponse } from 'maxmind'
import { OperatorError } from '../../operator-error.js'
import { countryCode } from './country-code.js'
import type { Countries } from './port.js'
import { publicAddress } from './special-addresses.js'

/** What a record says: flat in the files of ip-location-db, nested in MaxMind's own (GeoLite2-Country and its likes). */
type CountryRecord = CountryResponse & { readonly country_code?: string }

/** The country database that comes with the server: RIR and RouteViews data by ip-location-db (NRO, CC BY 4.0). */
export const bundledCountries = (): string =>
  createRequire(import.meta.url).resolve('@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb')

/** How many pointers the record of one address may follow: a country's record has a handful, a damaged one may go in circles. */
const pointersMax = 1000

/**
 * Countries from a MaxMind DB file. Its end is checked at once, and it is read whole at the first look-up (8 MB in about
 * 10 ms): a server that gets no such request does not need the memory. Where the file turns out to be damaged, the country
 * is null; an unreadable file is not tried again.
 * @param report called once, at the first look-up that fails because the file is damaged
 * @throws OperatorError naming the file when it is missing or no country database
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

/** MaxMind DB 2.0: what the metadata starts with, and how far from the end of the file that may be. */
const marker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')
const metadataMaxBytes = 128 * 1024

/** Looks at the end of the file only: one that was cut short, or is something else, has no metadata there. */
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
  // The reader asks its cache at every pointer and does not limit them itself.
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
  new OperatorError(`The country database ${file} is no MaxMind DB file, or not a whole one.`, 2, { cause })
