import type { AreaName } from '../areas/index.js'
import { areaOf, type Operation } from '../operation.js'
import { groupBy } from '../group-by.js'

interface AreaText {
  readonly title: string
  readonly description: string
}

/** Title and description of each area in the documents. */
const texts = {
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
} satisfies Record<AreaName, AreaText>

export interface AreaGroup extends AreaText {
  readonly area: string
  readonly operations: readonly Operation[]
}

/** Groups operations by area, in their order. */
export function byArea(operations: readonly Operation[]): AreaGroup[] {
  return [...groupBy(operations, areaOf)].map(([area, members]) => ({
    area,
    ...textOf(area),
    operations: members,
  }))
}

/** The console's own areas are in no document that shows titles. */
const textOf = (area: string): AreaText => (area in texts ? texts[area as AreaName] : { title: area, description: '' })
