import type { ConsoleArea } from '../parts/area.js'
import { accountArea } from '../areas/account/area.js'
import { activityArea } from '../areas/activity/area.js'
import { certificatesArea } from '../areas/certificates/area.js'
import { credentialsArea } from '../areas/credentials/area.js'
import { deploymentsArea } from '../areas/deployments/area.js'
import { dnsArea } from '../areas/dns/area.js'
import { domainsArea } from '../areas/domains/area.js'
import { filesArea } from '../areas/files/area.js'
import { messagesArea } from '../areas/messages/area.js'
import { overviewArea } from '../areas/overview/area.js'
import { packagesArea } from '../areas/packages/area.js'
import { sitesArea } from '../areas/sites/area.js'
import { toolsArea } from '../areas/tools/area.js'
import { whoisArea } from '../areas/whois/area.js'

/** Every area of the console, in the order of the navigation. A new area is added here. */
export const areas: readonly ConsoleArea[] = [
  overviewArea,
  dnsArea,
  certificatesArea,
  domainsArea,
  whoisArea,
  filesArea,
  sitesArea,
  packagesArea,
  deploymentsArea,
  messagesArea,
  credentialsArea,
  accountArea,
  activityArea,
  toolsArea,
]
