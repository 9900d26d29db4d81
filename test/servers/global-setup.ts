import type { TestProject } from 'vitest/node'
import { makeAuthority } from './pebble.js'
import { startPostgres } from './postgres.js'
import { buildWriterThread } from './writer-thread.js'

declare module 'vitest' {
  interface ProvidedContext {
    postgresAdminUrl: string
  }
}

/** One PostgreSQL, one build of the writer thread and one certificate of all Pebbles for the whole run. */
export default async function setup(project: TestProject) {
  const [postgres, writer, authority] = await Promise.all([startPostgres(), buildWriterThread(), makeAuthority()])
  project.provide('postgresAdminUrl', postgres.adminUrl)
  // A worker thread cannot read provided values, only the environment.
  process.env['WRITER_THREAD'] = writer.folder
  // Node.js reads it when a process starts, and all workers and servers of tests start later.
  process.env['NODE_EXTRA_CA_CERTS'] = authority.certificate
  return () => Promise.all([postgres.stop(), writer.remove(), authority.remove()])
}
