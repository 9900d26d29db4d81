import type { TestProject } from 'vitest/node'
import { startPostgres } from './postgres.js'
import { buildWriterThread } from './writer-thread.js'

declare module 'vitest' {
  interface ProvidedContext {
    postgresAdminUrl: string
  }
}

/** One PostgreSQL and one build of the writer thread for the whole run. */
export default async function setup(project: TestProject) {
  const [postgres, writer] = await Promise.all([startPostgres(), buildWriterThread()])
  project.provide('postgresAdminUrl', postgres.adminUrl)
  // A worker thread cannot read provided values, only the environment.
  process.env['WRITER_THREAD'] = writer.folder
  return () => Promise.all([postgres.stop(), writer.remove()])
}
