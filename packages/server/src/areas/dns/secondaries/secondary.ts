import { badRequest } from '@svc/contract/errors'
import { notPublic } from '../../../ports/outbound/target-url.js'
import type { AreReachable } from '../../../ports/outbound/public-networks.js'
import { parseIpAddress } from '../../../shared/ip-address.js'
import { quoted } from '../../../shared/quoted.js'

/** A nameserver that an account has named for copies of its zones. Times are milliseconds since the epoch. */
export interface Secondary {
  readonly id: number
  /** In canonical form. */
  readonly address: string
  readonly port: number
  /** The key, which may have been revoked. */
  readonly tokenId: number
  /** The label of the key; null after it was revoked. */
  readonly keyName: string | null
  readonly createdAt: number
  /** When the secondary has proven to have the key at this address; null before. */
  readonly provenAt: number | null
  /** When the last NOTIFY ended, its zone, and its answer; null together. */
  readonly toldAt: number | null
  readonly toldZone: string | null
  readonly answer: string | null
}

/** The answer of a secondary that has not answered. */
export const noAnswer = 'none'

const defaultPort = 53
const unprivileged = 1024

/** @returns the address in canonical form @throws ApiError `bad_request` */
export function checkAddress(given: string, areReachable: AreReachable): string {
  const address = given.includes('%') ? undefined : parseIpAddress(given.trim())?.toString()
  if (address === undefined)
    throw badRequest('address', `must be an IPv4 or IPv6 address such as 192.0.2.53, not ${quoted(given)}`)
  if (!areReachable(address)) throw badRequest('address', notPublic)
  return address
}

/** @throws ApiError `bad_request` */
export function checkPort(given = defaultPort): number {
  if (given !== defaultPort && (given < unprivileged || given > 65_535))
    throw badRequest('port', `must be 53 or a port from 1024 to 65535, not ${String(given)}`)
  return given
}
