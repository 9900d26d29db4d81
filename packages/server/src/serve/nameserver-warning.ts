import type { Config } from '../config.js'

/**
 * One sentence about nameservers to which no registrar can delegate a zone; undefined if they are well. A zone must have at least two
 * (RFC 1034, section 4.1; RFC 2182, section 5), and the names under localhost never leave the machine (RFC 6761, section 6.3).
 */
export function nameserverWarning({ nameservers }: Pick<Config['dns'], 'nameservers'>): string | undefined {
  if (nameservers.some((name) => /(^|\.)localhost$/.test(name)))
    return `SVC_NAMESERVERS is ${nameservers.join(',')}, which only this machine can reach: before registrars delegate zones to this server, set it to at least two public names of nameservers`
  if (nameservers.length < 2)
    return `SVC_NAMESERVERS has only one name, ${nameservers.join()}: most registrars require two different nameservers (RFC 2182), so add the name of a second one`
  return undefined
}
