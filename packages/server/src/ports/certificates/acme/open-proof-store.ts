import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import type { Job } from '../../../shared/job.js'
import { presentedCertificate, type PortProof, type PresentedCertificate } from './proof.js'

/** Proofs that are answered at the ports of the server, in each process on the database. System store. */

/** Milliseconds for which a proof is answered if its order is interrupted: longer than an order may take. */
const lifeMs = 240_000

const cleaningEveryMs = 60_000

interface Row {
  readonly type: PortProof['type']
  /** The token, or the name of tls-alpn-01. */
  readonly subject: string
  readonly value: string
}

const rowOf = (proof: PortProof): Row =>
  proof.type === 'http-01'
    ? { type: proof.type, subject: proof.token, value: proof.keyAuthorization }
    : { type: proof.type, subject: proof.name, value: proof.digest }

const insert = prepared((db, p: Row & { expiresAt: number }) =>
  db
    .insertInto('acme_proof')
    .values({ type: p.type, subject: p.subject, value: p.value, expires_at: p.expiresAt })
    .onConflict((same) => same.columns(['type', 'subject']).doUpdateSet({ value: p.value, expires_at: p.expiresAt })),
)

/** Served by the primary key. */
const find = prepared((db, p: Pick<Row, 'type' | 'subject'> & { now: number }) =>
  db
    .selectFrom('acme_proof')
    .where('type', '=', p.type)
    .where('subject', '=', p.subject)
    .where('expires_at', '>', p.now)
    .select('value'),
)

/** Served by the primary key. */
const remove = prepared((db, p: Row) =>
  db.deleteFrom('acme_proof').where('type', '=', p.type).where('subject', '=', p.subject).where('value', '=', p.value),
)

const removeExpired = prepared((db, p: { now: number }) => db.deleteFrom('acme_proof').where('expires_at', '<=', p.now))

const addProofs = unit(import.meta, 'addProofs', async (tx, rows: readonly Row[], now: number) => {
  // One by one: an order has few names, and all statements are sent together.
  for (const row of rows) tx.send(insert, { ...row, expiresAt: now + lifeMs })
})

const removeProofs = unit(import.meta, 'removeProofs', async (tx, rows: readonly Row[]) => {
  for (const row of rows) tx.send(remove, row)
})

const endProofs = unit(import.meta, 'endProofs', async (tx, now: number) => {
  tx.send(removeExpired, { now })
})

export type OpenProofStore = ReturnType<typeof openProofStore>

export const openProofStore = (db: Database) => ({
  add: (proofs: readonly PortProof[]): Promise<void> => db.write(addProofs, proofs.map(rowOf), Date.now()),

  /** A newer proof of the same name stays. */
  remove: (proofs: readonly PortProof[]): Promise<void> => db.write(removeProofs, proofs.map(rowOf)),

  /** http-01: the key authorization of a token; undefined for an unknown one. */
  keyAuthorization: async (token: string): Promise<string | undefined> =>
    (await db.one(find, { type: 'http-01', subject: token, now: Date.now() }))?.value,

  /** tls-alpn-01 (RFC 8737): the certificate for a name; undefined without a challenge. */
  certificateOf: async (name: string): Promise<PresentedCertificate | undefined> => {
    const found = await db.one(find, { type: 'tls-alpn-01', subject: name, now: Date.now() })
    return found && presentedCertificate({ name, digest: found.value })
  },

  /** Removes what killed processes have left. */
  job: {
    name: 'certificates.proofs',
    everyMs: cleaningEveryMs,
    runsIn: 'one process',
    failureMessage: 'proofs that have expired could not be removed',
    run: () => db.write(endProofs, Date.now()),
  } satisfies Job,
})
