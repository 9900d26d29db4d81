/**
 * The labels of each field, in the spelling of `Entry`: of the registries first, then of registrars. `section/label` below a heading, or
 * in an object.
 */
export const labels = {
  domain: ['domain name', 'domain', 'domain/name', 'domain_name', 'domainname', 'nom de domaine', 'ドメイン名'],
  registrar: [
    ...['registrar', 'registrar name', 'sponsoring registrar', 'registrar/organization', 'registrar/name'],
    ...['registrar organization', 'registrar_name', 'authorized agency', 'registration service provider', 'provider'],
    ...['registrar/organization name', 'registrar-name', 'current registar'],
  ],
  created: [
    ...['creation date', 'created', 'created on', 'created date', 'registered on', 'registered date', 'registered'],
    ...['registration date', 'registration time', 'domain registration date', 'domain create date', 'activated'],
    ...[
      'domain name commencement date',
      'record created',
      'domain created',
      'connected date',
      'assigned',
      'created at',
      'domain record activated',
      'relevant dates',
    ],
  ],
  updated: [
    ...['updated date', 'last updated', 'last update', 'last-update', 'last modified', 'modified', 'changed'],
    ...['last updated date', 'last updated on', 'update date', 'last_update', 'domain last updated date', 'updated'],
    ...['domain record last updated', 'modification date'],
  ],
  expires: [
    ...['registry expiry date', 'expiry date', 'expire date', 'expires', 'expires on', 'expiration date'],
    ...['expiration time', 'paid-till', 'renewal date', 'expire', 'expiry', 'domain expiration date', 'valid until'],
    ...[
      'registrar registration expiration date',
      'expire-date',
      'validity',
      'exp date',
      'expires at',
      'domain expires',
      'state',
      'status',
    ],
  ],
  nameservers: [
    ...['name server', 'name servers', 'nserver', 'nameserver', 'nameservers', 'domain nameservers', 'host name'],
    ...['domain servers', 'domain servers in listed order', 'name_server', 'name servers information', 'dns servers'],
    ...['hostname', 'name servers/dns', 'dns/dns', 'primary server', 'secondary server'],
  ],
  statuses: [
    ...['domain status', 'status', 'state', 'registration status', 'eppstatus', 'domain_status', 'domain state'],
    ...['lock status', 'epp status'],
  ],
  dnssec: [
    'dnssec',
    'signed',
    'dnskey',
    'ds',
    'ds rdata',
    'dsrecord',
    'ds-rdata',
    'keyset',
    'signing key',
    'dnssec signed',
  ],
  referral: ['registrar whois server', 'whois server', 'referralserver', 'refer', 'whois'],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type Field = keyof typeof labels

/** Headings and objects of contacts and other things; their dates and names are not the domain's. */
export const otherSections = /contact|registrant|holder|owner|reseller|tech|admin|billing|abuse|zone-c|agent/
export const otherObjects: ReadonlySet<string> = new Set([
  ...['nic-hdl', 'nic-hdl-br', 'person', 'contact', 'role', 'nsset', 'organisation', 'organization', 'name'],
])

/** These objects have their own dates: of the registrar, and of the WHOIS database. */
export const datedObjects: ReadonlySet<string> = new Set(['registrar', 'whois'])

/** The dates of these registries without a zone are in their time. */
export const zoneOf: ReadonlyMap<string, string> = new Map([
  ['cn', '+08:00'],
  ['jp', 'JST'],
  ['kr', 'KST'],
])
