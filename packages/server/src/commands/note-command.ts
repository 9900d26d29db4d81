import type { DatabaseConfig } from '../db/connect.js'
import { writeStderr } from '../shared/terminal.js'
import { commandEventStore } from './command-event-store.js'
import { withDatabase } from './with-database.js'

/**
 * Writes a command that changes no row into the operator's journal. A failure is said on stderr and fails nothing: a backup of a database
 * that can only be read must succeed.
 * @param command such as `svc backup`
 */
export async function noteCommand(config: DatabaseConfig, command: string): Promise<void> {
  try {
    await withDatabase(config, (db) => commandEventStore(db).note(command, ''))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    writeStderr(`The operator's journal does not have this ${command}: ${reason}\n`)
  }
}
