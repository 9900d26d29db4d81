import type { AreaName } from '../areas/index.js'
import { areaOf, type Operation } from '../operation.js'
import { groupBy } from './group-by.js'

interface AreaText {
  readonly title: string
  readonly description: string
}

/** What each area is called in the documents, and what it is for. */
const texts = {
  catalogue: { title: 'Catalogue', description: 'The API describing itself.' },
  public: {
    title: 'Public utilities',
    description: 'Time, caller address and country, exchange rates, hashing. No token.',
  },
  account: { title: 'Account', description: 'Who a token belongs to, the browser sessions, the display name.' },
  dns: { title: 'DNS', description: "Claim a zone, prove control of it, manage the zone's records." },
  cred: { title: 'Credentials', description: 'Stored credentials, by platform.' },
  files: { title: 'Files', description: 'Personal files: upload, also in parts, download, share.' },
  cdn: { title: 'CDN', description: 'How the edge keeps shared files.' },
  sms: { title: 'SMS', description: "Forwarded messages and the keys of the account's devices." },
  sites: { title: 'Sites', description: 'Static sites, deployed as a zip.' },
  deployments: { title: 'Deployments', description: 'Form, webhook and shortlink endpoints.' },
  domains: { title: 'Domains', description: 'The domain portfolio and when each expires.' },
  packages: { title: 'Packages', description: 'Packages with their versions, artifacts and download counts.' },
  whois: { title: 'WHOIS', description: 'Registration data of a domain.' },
} satisfies Record<AreaName, AreaText>

export interface AreaGroup extends AreaText {
  readonly area: string
  readonly operations: readonly Operation[]
}

/** The operations by area, both in the order given. */
export function byArea(operations: readonly Operation[]): AreaGroup[] {
  return [...groupBy(operations, areaOf)].map(([area, members]) => ({
    area,
    ...textOf(area),
    operations: members,
  }))
}

/** The console's own areas are in no document that shows titles. */
const textOf = (area: string): AreaText => (area in texts ? texts[area as AreaName] : { title: area, description: '' })
