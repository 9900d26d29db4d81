import type { DatabaseConfig } from '../db/connect.js'
import { writeStderr } from '../shared/terminal.js'
import { commandEventStore } from './command-event-store.js'
import { withDatabase } from './with-database.js'

/**
 * Writes a command that changes no row into the operator's journal. A failure is printed on stderr, and the command goes on: a backup of a
 * read-only database must succeed.
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
