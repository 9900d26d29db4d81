import type { ConsoleArea } from '../app/area.js'
import { accountArea } from './account/area.js'
import { credentialsArea } from './credentials/area.js'
import { deploymentsArea } from './deployments/area.js'
import { dnsArea } from './dns/area.js'
import { domainsArea } from './domains/area.js'
import { filesArea } from './files/area.js'
import { messagesArea } from './messages/area.js'
import { overviewArea } from './overview/area.js'
import { packagesArea } from './packages/area.js'
import { sitesArea } from './sites/area.js'
import { toolsArea } from './tools/area.js'
import { whoisArea } from './whois/area.js'

/** Every area of the console, in the order of the navigation. A new area is added here. */
export const areas: readonly ConsoleArea[] = [
  overviewArea,
  dnsArea,
  domainsArea,
  whoisArea,
  filesArea,
  sitesArea,
  packagesArea,
  deploymentsArea,
  messagesArea,
  credentialsArea,
  accountArea,
  toolsArea,
]
