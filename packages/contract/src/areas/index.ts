import { areaOf, type Method, type Operation } from '../operation.js'
import * as account from './account.js'
import * as catalogue from './catalogue.js'
import * as cdn from './cdn.js'
import * as cred from './cred.js'
import * as deployments from './deployments.js'
import * as dns from './dns.js'
import * as domains from './domains.js'
import * as files from './files.js'
import * as packages from './packages.js'
import * as publicArea from './public.js'
import * as sites from './sites.js'
import * as sms from './sms.js'
import * as whois from './whois.js'

export { toolForms, type ToolForm } from './catalogue.js'
export { edgeTtlMax } from './cdn.js'
export { deploymentFolders, deploymentKinds, type DeploymentKind } from './deployments.js'
export { claimStatuses, type ClaimStatus } from './dns-zone.js'
export { fileNamePattern } from '../schema.js'
export { mediaTypePattern, uploadPartsMax } from './files.js'
export { siteNamePattern } from './sites.js'

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
} as const

export type Areas = typeof areas
export type AreaName = keyof Areas
export const areaNames = Object.keys(areas) as readonly AreaName[]

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
