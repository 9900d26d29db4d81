import { isPublicName } from '@svc/contract/public-name'
import type { Config } from '../config/config.js'

/**
 * One sentence about nameservers to which no registrar can delegate a zone; undefined if they are well. A zone must have at least two
 * (RFC 1034, section 4.1; RFC 2182, section 5), and their names must exist in the public DNS.
 */
export function nameserverWarning({ nameservers }: Pick<Config['dns'], 'nameservers'>): string | undefined {
  if (!nameservers.every(isPublicName))
    return `SVC_NAMESERVERS is ${nameservers.join(',')}, which the public DNS cannot have: before registrars delegate zones to this server, set it to at least two public names of nameservers`
  if (nameservers.length < 2)
    return `SVC_NAMESERVERS has only one name, ${nameservers.join()}: most registrars require two different nameservers (RFC 2182), so add the name of a second one`
  return undefined
}
