import { areaOf, type Method, type Operation } from '../operation.js'
import * as account from './account.js'
import * as catalogue from './catalogue.js'
import * as cdn from './cdn.js'
import * as cred from './cred.js'
import * as deployments from './deployments.js'
import * as dns from './dns.js'
import * as domains from './domains.js'
import * as events from './events.js'
import * as files from './files.js'
import * as packages from './packages.js'
import * as publicArea from './public.js'
import * as sites from './sites.js'
import * as sms from './sms.js'
import * as tls from './tls.js'
import * as whois from './whois.js'

export { toolForms, type ToolForm } from './catalogue.js'
export { edgeTtlMax } from './cdn.js'
export { deploymentFolders } from './deployment.js'
export { redirectStatuses } from './deployment-options.js'
export { eventScopeOf } from './events.js'
export { claimStatuses, type ClaimStatus } from './dns-zone.js'
export { fileNamePattern } from '../schema.js'
export { mediaTypePattern, uploadPartsMax } from './files.js'
export { siteNamePattern } from './site.js'

/** Every area of the platform, in the order of the catalogue. */
export const areas = {
  catalogue,
  public: publicArea,
  account,
  dns,
  cred,
  files,
  cdn,
  sms,
  sites,
  deployments,
  domains,
  packages,
  whois,
  tls,
  events,
} as const

export type Areas = typeof areas
export type AreaName = keyof Areas
export const areaNames = Object.keys(areas) as readonly AreaName[]

export interface AreaText {
  readonly title: string
  readonly description: string
}

/** Title and description of each area in the documents. */
export const areaTexts = {
  catalogue: { title: 'Catalogue', description: 'Descriptions of the API itself.' },
  public: {
    title: 'Public utilities',
    description: 'Time, caller address and country, exchange rates, hashing. No token needed.',
  },
  account: { title: 'Account', description: 'The account of the token, its browser sessions, the display name.' },
  dns: { title: 'DNS', description: "Claim a zone, prove control of it, manage the zone's records." },
  cred: { title: 'Credentials', description: 'Stored credentials by platform.' },
  files: { title: 'Files', description: 'Personal files: upload (also in parts), download, share.' },
  cdn: { title: 'CDN', description: 'Edge caching of shared files.' },
  sms: { title: 'SMS', description: "Forwarded messages and the keys of the account's devices." },
  sites: { title: 'Sites', description: 'Static sites, deployed as a zip.' },
  deployments: { title: 'Deployments', description: 'Form, webhook and shortlink endpoints.' },
  domains: { title: 'Domains', description: 'The domain portfolio with expiry dates.' },
  packages: { title: 'Packages', description: 'Packages with their versions, artifacts and download counts.' },
  whois: { title: 'WHOIS', description: 'Registration data of a domain.' },
  tls: { title: 'Certificates', description: 'Certificates of zones and of the own domains of sites.' },
  events: { title: 'Events', description: 'What happens in the account, as it happens.' },
} satisfies Record<AreaName, AreaText>

/** Areas that describe /v1 itself: the console does not offer them. */
export const apiOnlyAreas = ['catalogue'] as const satisfies readonly AreaName[]

export type ApiOnlyArea = (typeof apiOnlyAreas)[number]

/** Whether an operation of /v1 is missing in the console. */
export const isApiOnly = (op: Operation): boolean => apiOnlyAreas.some((area) => area === areaOf(op))

const methods: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

// Modules have no order of declaration: Node.js sorts exports by name, bundlers sort them differently.
const byPathAndMethod = (a: Operation, b: Operation) =>
  a.path === b.path ? methods.indexOf(a.method) - methods.indexOf(b.method) : a.path < b.path ? -1 : 1

/** Every operation of /v1, in the order of the catalogue (area, path, method). */
export const operations: readonly Operation[] = Object.values(areas).flatMap((area) =>
  Object.values<unknown>(area).filter(isOperation).sort(byPathAndMethod),
)

/** Whether an export of an area is an operation: areas export constants too. */
export function isOperation(exported: unknown): exported is Operation {
  return typeof exported === 'object' && exported !== null && 'id' in exported && 'method' in exported
}
