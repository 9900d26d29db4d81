import { accountParts } from './account.js'
import type { AreaParts } from './area-parts.js'
import { credParts } from './cred.js'
import { deploymentParts } from './deployments.js'
import { dnsParts } from './dns.js'
import { domainParts } from './domains.js'
import { eventParts } from './events.js'
import { fileParts } from './files.js'
import { packageParts } from './packages.js'
import { publicParts } from './public.js'
import { searchParts } from './search.js'
import { siteParts } from './sites.js'
import { smsParts } from './sms.js'
import { tlsParts } from './tls.js'
import { whoisParts } from './whois.js'

/** What the tests of all areas need of each area. The only list of areas in the tests. */
export const areaParts: readonly AreaParts[] = [
  accountParts,
  credParts,
  deploymentParts,
  dnsParts,
  domainParts,
  eventParts,
  fileParts,
  packageParts,
  publicParts,
  searchParts,
  siteParts,
  smsParts,
  tlsParts,
  whoisParts,
]

/** By the id of the operation. */
export const setUps = Object.assign({}, ...areaParts.map((parts) => parts.setUps)) as NonNullable<AreaParts['setUps']>
