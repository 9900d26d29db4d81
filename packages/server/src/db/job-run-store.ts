import type { Database } from './port.js'
import { prepared } from './prepared.js'
import { unit } from './unit.js'

/** The last runs of jobs, for all processes on the database. System store. */

const runs = prepared((db, _: object) => db.selectFrom('job_run').select(['name', 'ended_at as endedAt']))

const upsert = prepared((db, p: { name: string; endedAt: number }) =>
  db
    .insertInto('job_run')
    .values({ name: p.name, ended_at: p.endedAt })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ ended_at: p.endedAt })),
)

const noteRun = unit(import.meta, 'noteJobRun', async (tx, name: string, endedAt: number) => {
  tx.send(upsert, { name, endedAt })
})

export type JobRuns = ReturnType<typeof jobRunStore>

export const jobRunStore = (db: Database) => ({
  /** When each job has last ended without a failure, in milliseconds since the epoch, by the name of the job. */
  all: async (): Promise<ReadonlyMap<string, number>> =>
    new Map((await db.all(runs, {})).map(({ name, endedAt }) => [name, endedAt])),

  note: (name: string, endedAt: number): Promise<void> => db.write(noteRun, name, endedAt),
})
