import { isIP } from 'node:net'

interface ServerNames {
  /** An origin. */
  readonly publicUrl: string | undefined
  readonly sitesDomain: string
}

/**
 * The certificates that a server needs, each with its names: one for all hosts below the domain of sites, and one for the host of the
 * public URL if it is elsewhere.
 */
export function wantedCertificates({ publicUrl, sitesDomain }: ServerNames): readonly (readonly string[])[] {
  const ofSites = isPublicName(sitesDomain) ? [[sitesDomain, `*.${sitesDomain}`]] : []
  const host = publicUrl?.startsWith('https:') === true ? new URL(publicUrl).hostname : ''
  const isCovered = host === sitesDomain || host.slice(host.indexOf('.') + 1) === sitesDomain
  return [...ofSites, ...(isPublicName(host) && !isCovered ? [[host]] : [])]
}

/** No CA knows addresses and names of one machine, such as `localhost`. */
const isPublicName = (name: string): boolean =>
  name.includes('.') && isIP(name) === 0 && !name.startsWith('[') && !/\.(?:localhost|local|internal)$/.test(name)
