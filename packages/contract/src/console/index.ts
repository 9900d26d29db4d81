import type { Operation } from '../operation.js'
import * as deployments from './deployments.js'
import * as dns from './dns.js'
import * as files from './files.js'
import * as keys from './keys.js'
import * as overview from './overview.js'
import * as search from './search.js'
import * as session from './session.js'
import * as setup from './setup.js'
import * as sms from './sms.js'

export type { OverviewArea, OverviewPart } from './overview.js'

/** The operations of /console/api that /v1 does not have. */
export const consoleAreas = { setup, session, overview, keys, deployments, sms, dns, files, search } as const

export type ConsoleAreas = typeof consoleAreas

export const consoleOperations: readonly Operation[] = Object.values(consoleAreas).flatMap((area) =>
  Object.values<Operation>(area),
)

/** The path of an operation under /console/api; the console's own operations are unchanged. */
export const consolePath = (path: string): string => path.replace(/^\/v1(?=\/|$)/, '/console/api')
