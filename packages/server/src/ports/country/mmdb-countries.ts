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

/**
 * Countries from a MaxMind DB file. The file is checked at once and read whole at the first look-up (8 MB in about
 * 10 ms): a server that nobody asks keeps the memory.
 * @throws OperatorError naming the file when it is missing or no country database
 */
export function mmdbCountries(file: string): Countries {
  checkMmdb(file)
  let reader: Reader<CountryRecord> | undefined
  return {
    countryOf(ip) {
      const address = publicAddress(ip)
      if (address === undefined) return null
      reader ??= read(file)
      // A file of IPv4 alone would take the first four bytes of an IPv6 address for one.
      if (reader.metadata.ipVersion === 4 && address.includes(':')) return null
      const record = reader.get(address)
      return countryCode(record?.country_code ?? record?.country?.iso_code ?? '')
    },
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

function read(file: string): Reader<CountryRecord> {
  try {
    return new Reader<CountryRecord>(readFileSync(file))
  } catch (cause) {
    throw unusable(file, cause)
  }
}

const unusable = (file: string, cause?: unknown) =>
  new OperatorError(`The country database ${file} is no MaxMind DB file, or not a whole one.`, 2, { cause })
