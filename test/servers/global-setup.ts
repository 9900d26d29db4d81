import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { makeAuthority } from './pebble.js'
import { startPostgres } from './postgres.js'
import { buildWriterThread } from './writer-thread.js'

declare module 'vitest' {
  interface ProvidedContext {
    postgresAdminUrl: string
  }
}

/** One PostgreSQL, one build of the writer thread, one certificate of all Pebbles and one cache of compiled code for the whole run. */
export default async function setup(project: TestProject) {
  const [postgres, writer, authority] = await Promise.all([startPostgres(), buildWriterThread(), makeAuthority()])
  project.provide('postgresAdminUrl', postgres.adminUrl)
  // A worker thread cannot read provided values, only the environment.
  process.env['WRITER_THREAD'] = writer.folder
  // For programs of tests that ask other servers than those of the tests, such as npm.
  process.env['MACHINE_CA_CERTS'] = process.env['NODE_EXTRA_CA_CERTS'] ?? ''
  // Node.js reads these when a process starts, and all workers and servers of tests start later.
  process.env['NODE_EXTRA_CA_CERTS'] = authority.certificate
  // Compiled code for all of them: a fifth of the CPU time of a writer thread's start, a tenth of that of `svc serve`.
  const compileCache = await mkdtemp(join(tmpdir(), 'svc-compile-cache-'))
  process.env['NODE_COMPILE_CACHE'] = compileCache
  const removeCache = () => rm(compileCache, { recursive: true, force: true, maxRetries: 3 })
  return () => Promise.all([postgres.stop(), writer.remove(), authority.remove(), removeCache()])
}
