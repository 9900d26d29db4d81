import type { Config } from '../../config/config.js'
import { zone as checkZone } from '../input.js'
import { blobsCheck, type StoredFiles } from './blobs.js'
import { runCheck, type Check, type Context, type ZoneChoice } from './check.js'
import { certificatesCheck } from './certificates.js'
import { clockCheck } from './clock.js'
import { contentHostCheck } from './content-host.js'
import { dataCheck } from './data-directory.js'
import { databaseCheck, openForDoctor, type Opened } from './database.js'
import { delegationCheck } from './delegation.js'
import { diskCheck } from './disk-space.js'
import { edgeCheck } from './edge.js'
import { eventsCheck } from './events.js'
import type { Finding } from './finding.js'
import { mailCheck } from './mail.js'
import { keyCheck } from './master-key.js'
import { nodeCheck } from './node-version.js'
import { portsCheck } from './ports.js'
import { providerCheck } from './provider.js'
import { publicUrlCheck } from './public-url.js'
import { resolversCheck } from './resolvers.js'
import { rowsCheck } from './rows.js'
import { secondariesCheck } from './secondaries.js'
import { settingsCheck } from './settings.js'

export type { BlobOwner, BlobRow, ObjectFindings, RowFindings } from '../../ports/blobs/inspect.js'
export type { StoredFiles } from './blobs.js'
export { sections, type Finding, type Section } from './finding.js'

export interface DiagnoseOptions {
  readonly env: NodeJS.ProcessEnv
  /** Check the delegation of this zone only, and its serial at the secondaries. */
  readonly zone?: string | undefined
  /** Check all zones, not only the first ones. */
  readonly allZones?: boolean | undefined
  /** Called with the findings of each section, in the order of the sections. */
  readonly done: (findings: readonly Finding[]) => void
  /** Called during checks that may take minutes. */
  readonly progress: (text: string) => void
}

/**
 * `svc doctor`: checks this installation and its surroundings. Changes nothing, and works beside running servers, also if the database
 * cannot be written or opened. The checks run at the same time; a check that fails or hangs does not affect the others.
 * @returns the comparison of the stored files; undefined if it was not possible
 * @throws OperatorError for a zone that is not a name
 */
export async function diagnose(config: Config, options: DiagnoseOptions): Promise<StoredFiles | undefined> {
  const zones = choiceOf(options)
  const opening = openForDoctor(config.database)
  const { env, progress } = options
  const context: Context = { config, env, progress, database: opening.then(usable) }
  let storedFiles: StoredFiles | undefined
  const checks: readonly Check[] = [
    settingsCheck,
    nodeCheck,
    dataCheck,
    databaseCheck(opening),
    rowsCheck,
    eventsCheck,
    diskCheck,
    clockCheck,
    keyCheck,
    portsCheck,
    certificatesCheck,
    publicUrlCheck(),
    contentHostCheck(),
    resolversCheck,
    delegationCheck({ zones }),
    secondariesCheck({ zones }),
    providerCheck,
    blobsCheck((counts) => (storedFiles = counts)),
    edgeCheck,
    mailCheck,
  ]
  try {
    const running = checks.map((check) => runCheck(check, context))
    for (const findings of running) options.done(await findings)
    return storedFiles
  } finally {
    const opened = await opening
    if (opened.kind === 'open') await opened.database.close()
  }
}

const choiceOf = ({ zone, allZones = false }: DiagnoseOptions): ZoneChoice =>
  zone === undefined ? { kind: allZones ? 'all' : 'first' } : { kind: 'one', zone: checkZone(zone) }

const usable = (opened: Opened) => (opened.kind === 'open' && opened.schema === 'current' ? opened.database : undefined)
