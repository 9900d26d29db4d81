import { areaOf, areas, operations, scopes, type TokenScope } from '@svc/contract'
import { noRule, type RuleDraft } from './rules.js'
import { isRead, scopesFor } from './scopes.js'

/** What a key for a common program may do. */
export interface KeyTemplate {
  readonly label: string
  readonly scopes: readonly TokenScope[]
  /** Their names are for the user to fill in. */
  readonly rules: readonly RuleDraft[]
  /** Whether the key gets a URL for routers. */
  readonly hasUpdateKey?: true
}

const ofArea = (area: keyof typeof areas) => operations.filter((op) => areaOf(op) === area)

const dnsWrite = scopesFor([areas.dns.recordCreate])
const publish = scopesFor([areas.packages.publish])

export const keyTemplates: readonly KeyTemplate[] = [
  { label: 'Read everything', scopes: scopes.filter(isRead), rules: [] },
  { label: 'Automate DNS', scopes: scopesFor(ofArea('dns')), rules: [] },
  {
    label: 'ACME for one zone',
    scopes: dnsWrite,
    rules: [{ ...noRule, hosts: '_acme-challenge _acme-challenge.**', types: ['TXT'] }],
  },
  {
    label: 'Dynamic DNS for one host',
    scopes: dnsWrite,
    // An example for the user to replace: without a host, the key could change all of them.
    rules: [{ ...noRule, hosts: 'home', types: ['A', 'AAAA'] }],
    hasUpdateKey: true,
  },
  { label: 'Deploy sites', scopes: scopesFor(ofArea('sites')), rules: [] },
  { label: 'Deploy one site', scopes: scopesFor([areas.sites.deploy]), rules: [{ ...noRule, kind: 'site' }] },
  { label: 'Publish packages', scopes: publish, rules: [] },
  { label: 'Publish one package', scopes: publish, rules: [{ ...noRule, kind: 'package' }] },
  { label: 'Back up files', scopes: scopesFor([areas.files.upload]), rules: [] },
]
