import type { TestProject } from 'vitest/node'
import { startPostgres } from './postgres.js'

declare module 'vitest' {
  interface ProvidedContext {
    postgresAdminUrl: string
  }
}

/** One PostgreSQL for the whole run. */
export default async function setup(project: TestProject) {
  const postgres = await startPostgres()
  project.provide('postgresAdminUrl', postgres.adminUrl)
  return postgres.stop
}
