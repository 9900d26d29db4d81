/** Every list and every single read of the API and the console, in an account that `filled-rows.ts` has filled. */

/** A request that is measured. */
export interface Read {
  readonly path: string
  /** Length of the list in the answer; undefined for a single read. */
  readonly entries?: number
  /** Limit in milliseconds, instead of that of lists or single reads. */
  readonly below?: number
}

/** Operations that this bench leaves out, with the reason. */
export const unmeasured: Readonly<Record<string, string>> = {
  'files.download': 'sends the bytes of a file: the bench `downloads` measures it',
  'deployments.submissionsExport': 'sends all submissions as a file, one page in each turn of the event loop',
}

/** Rows of the measured account. */
export const filled = {
  zones: 1_000,
  records: 10_000,
  files: 100_000,
  messages: 100_000,
  domains: 1_000,
  packages: 500,
  versions: 500,
  sites: 1_000,
  deployments: 10_000,
  kept: 10_000,
  secrets: 1_000,
  credentials: 0,
} as const

/** Credentials of the measured account. Stored through the API, because the list decrypts them. */
export const credentials = 1_000

/** Reads of a paged list: the newest page, one of the same length below the id `before`, and one of 20 entries. */
const pages = (path: string, entries: number, before: number): Read[] => [
  { path, entries },
  { path: `${path}?limit=${String(entries)}&before=${String(before)}`, entries },
  { path: `${path}?limit=20`, entries: 20 },
]

/** A single read. */
const one = (path: string): Read[] => [{ path }]

/** By the id of the operation. The measured account is the first one, so ids and names are known. */
export const reads: Readonly<Record<string, readonly Read[]>> = {
  'catalogue.llms': one('/llms.txt'),
  'catalogue.show': one('/v1'),
  'catalogue.ai': one('/v1/ai'),
  'catalogue.openapi': one('/v1/openapi.json'),
  'public.fx': one('/v1/public/fx'),
  'public.geo': one('/v1/public/geo'),
  'public.hash': one('/v1/public/hash?value=svc'),
  'public.ip': one('/v1/public/ip'),
  'public.time': one('/v1/public/time'),
  'public.timestamp': one('/v1/public/timestamp'),
  'account.me': one('/v1/account/me'),
  'account.sessionList': [{ path: '/v1/account/sessions', entries: filled.secrets + 1 }],
  'dns.zoneList': [
    { path: '/v1/dns/zones', entries: filled.zones },
    { path: '/v1/dns/zones?status=pending', entries: 0 },
  ],
  'dns.zoneGet': one('/v1/dns/zones/zone500-1.example'),
  'dns.recordList': [
    { path: '/v1/dns/zones/zone1-1.example/records', entries: filled.records },
    { path: '/v1/dns/zones/zone2-1.example/records', entries: 1_000 },
    { path: '/v1/dns/zones/zone1-1.example/records?type=MX', entries: 0 },
  ],
  'dns.recordGet': one('/v1/dns/zones/zone1-1.example/records/5000'),
  // Decrypted: it has another limit than the other lists.
  'cred.list': [{ path: '/v1/cred', entries: credentials, below: 60 }],
  // A search reads all files of the account, in several turns of the event loop.
  'files.list': [
    ...pages('/v1/files', 1_000, filled.files >> 1),
    { path: '/v1/files?search=FILE12345-', entries: 1, below: 50 },
  ],
  'files.get': one('/v1/files/5000'),
  'cdn.stats': pages('/v1/cdn/stats', 1_000, filled.files >> 1),
  'sms.keyList': [{ path: '/v1/sms/keys', entries: 5 }],
  'sms.messageList': pages('/v1/sms/messages', 1_000, filled.messages >> 1),
  'sites.list': [{ path: '/v1/sites', entries: filled.sites }],
  'deployments.list': pages('/v1/deployments', 1_000, filled.deployments >> 1),
  'domains.list': [{ path: '/v1/domains', entries: filled.domains }],
  'packages.list': [{ path: '/v1/packages', entries: filled.packages }],
  // Each version has two artifacts.
  'packages.get': [{ path: '/v1/packages/package1-1', entries: filled.versions }, { path: '/v1/packages/package2-1' }],
  'whois.lookup': one('/v1/whois?domain=example5000.com'),
  'session.whoAmI': one('/console/api/session'),
  'keys.list': [{ path: '/console/api/keys', entries: filled.secrets + 1 }],
  'deployments.get': one('/v1/deployments/5000'),
  'deployments.submissions': pages('/v1/deployments/1/submissions', 100, filled.kept >> 1),
  'deployments.requests': pages('/v1/deployments/2/requests', 100, filled.kept >> 1),
  'deployments.request': one('/v1/deployments/2/requests/5000'),
  'sites.domains': [{ path: '/v1/sites/domains', entries: 100 }],
  'sites.versions': [{ path: '/v1/sites/versions?name=site1-1', entries: 10 }],
  'domains.calendarGet': one('/v1/domains/calendar'),
}
