import { badRequestSentence } from '@svc/contract/errors'

/** Names of sites that svc does not give away, because their hosts are its own. */
export type ReservedNames = ReadonlySet<string>

/**
 * The labels below the sites domain that svc uses itself.
 * @param hosts the content host and, if it has a name, the host of the API
 */
export const reservedNames = (sitesDomain: string, hosts: readonly string[]): ReservedNames =>
  new Set(
    hosts
      .filter((host) => host.endsWith(`.${sitesDomain}`))
      .map(
        (host) =>
          host
            .slice(0, -sitesDomain.length - 1)
            .split('.')
            .at(-1) ?? '',
      ),
  )

/** @throws ApiError `bad_request` for a name that svc uses itself */
export function requireFreeName(name: string, reserved: ReservedNames): void {
  if (reserved.has(name)) throw badRequestSentence('name', `${name} is reserved for svc itself: choose another one`)
}
