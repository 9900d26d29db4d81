import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Reader, type CountryResponse } from 'maxmind'
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
 * @throws Error naming the file when it is missing or no country database
 */
export function mmdbCountries(file: string): Countries {
  checkMmdb(file)
  let reader: Reader<CountryRecord> | undefined
  return {
    countryOf(ip) {
      const address = publicAddress(ip)
      if (address === undefined) return null
      reader ??= new Reader<CountryRecord>(readFileSync(file))
      // A file for IPv4 only knows of nothing else.
      if (reader.metadata.ipVersion === 4 && address.includes(':')) return null
      const record = reader.get(address)
      return countryCode(record?.country_code ?? record?.country?.iso_code ?? '')
    },
  }
}
