/** The sections of `svc doctor`, in the order in which they are printed, with their titles. */
export const sections = {
  settings: 'Settings',
  node: 'Node.js',
  data: 'Data directory',
  database: 'Database',
  rows: 'Stored rows',
  events: 'Events',
  disk: 'Disk space',
  clock: 'Clock',
  key: 'Master key',
  ports: 'Ports',
  certificates: 'Certificates',
  public_url: 'Public URL',
  content_host: 'Content host and sites',
  resolvers: 'Resolvers',
  delegation: 'Delegation of zones',
  secondaries: 'Secondary nameservers',
  provider: 'DNS provider',
  blobs: 'Stored files',
  edge: 'Cache of share links',
  mail: 'E-mail',
} as const

export type Section = keyof typeof sections

/** `warning`: svc works, but the operator should know. `error`: something does not work, or is lost. */
export type Status = 'ok' | 'warning' | 'error'

/** What a check has found: one line for the operator. */
export interface Finding {
  readonly section: Section
  readonly status: Status
  /** One or more sentences. */
  readonly message: string
  /** What to do, as a sentence. Undefined if nothing is to be done, or if the message says it. */
  readonly remedy?: string | undefined
  /** The first of the entries that the message counts. */
  readonly details?: readonly string[] | undefined
}

/** Collects the findings of a section. */
export class Report {
  readonly findings: Finding[] = []

  constructor(private readonly section: Section) {}

  add(status: Status, message: string, remedy?: string, details?: readonly string[]): void {
    this.findings.push({ section: this.section, status, message, remedy, details })
  }

  ok(message: string): void {
    this.add('ok', message)
  }

  warning(message: string, remedy?: string, details?: readonly string[]): void {
    this.add('warning', message, remedy, details)
  }

  error(message: string, remedy?: string, details?: readonly string[]): void {
    this.add('error', message, remedy, details)
  }
}
