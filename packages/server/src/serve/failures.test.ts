import { describe, expect, it } from 'vitest'
import { NewerSchema } from '../db/migrate.js'
import { OperatorError } from '../shared/operator-error.js'
import { explainDatabaseFailure } from './database-failure.js'
import { explain } from './listen.js'

const failure = (code: string, message = 'failed') => Object.assign(new Error(message), { code })

describe('a database that fails', () => {
  const sqlite = { kind: 'sqlite', file: '/x/svc.db' } as const
  const postgres = { kind: 'postgres', url: 'postgres://u:hunter2@h/d' } as const

  it.each([
    ['EACCES', 'cannot be opened for writing: check the owner and the mode of the file and of its directory'],
    ['SQLITE_CANTOPEN', 'cannot be opened for writing: check the owner and the mode of the file and of its directory'],
    ['SQLITE_READONLY_DIRECTORY', 'cannot be opened for writing: check the owner and the mode of'],
    ['SQLITE_FULL', 'is on a full disk: free some space'],
    ['SQLITE_IOERR_SHMSIZE', 'is on a full disk: free some space'],
    ['SQLITE_NOTADB', 'is not a SQLite database, or is damaged: restore it from a backup'],
    ['SQLITE_BUSY', 'is locked by another process: end that process'],
    ['SQLITE_IOERR_READ', 'cannot be read or written because of a disk error: check its disk'],
  ])('%s on SQLite: one sentence with the cause, the remedy and the variables to set', (code, what) => {
    const explained = explainDatabaseFailure(failure(code), sqlite)
    expect(explained).toBeInstanceOf(OperatorError)
    expect(explained).toMatchObject({
      message: expect.stringMatching(
        new RegExp(`^The database sqlite:/x/svc\\.db ${what}.*, or set SVC_DATA or SVC_DATABASE to another place\\.$`),
      ),
      exitCode: 1,
    })
  })

  it.each([sqlite, postgres])('a newer svc has migrated it: names the version and what to do', (config) => {
    expect(explainDatabaseFailure(new NewerSchema(['9999-later']), config)).toMatchObject({
      name: 'OperatorError',
      message: expect.stringMatching(
        /was migrated by a newer svc than this one, [\d.]+, which does not know 9999-later: install the newer svc, or restore/,
      ),
    })
  })

  it.each([
    ['ECONNREFUSED', 'refuses connections: is PostgreSQL running there? If not, check SVC_DATABASE.'],
    ['ENOTFOUND', 'has a host name that does not resolve; check SVC_DATABASE.'],
    ['28P01', 'does not accept the user and password; check SVC_DATABASE.'],
    ['3D000', 'does not exist on that server: create it first; check SVC_DATABASE.'],
    ['53300', 'accepts no connections at the moment; check SVC_DATABASE.'],
  ])('%s on PostgreSQL: one sentence, without the password', (code, what) => {
    const explained = explainDatabaseFailure(failure(code), postgres)
    expect(explained).toMatchObject({ message: `The database postgres://h/d ${what}`, exitCode: 1 })
  })

  it("an error of the database is recognized among the causes of an error by its code, or by its text for the driver's timeouts", () => {
    const late = new Error('schema', { cause: new Error('Connection terminated due to connection timeout') })
    expect(explainDatabaseFailure(late, postgres)).toMatchObject({
      message: expect.stringContaining('does not answer'),
    })
    const refused = new Error('schema', { cause: failure('ECONNREFUSED') })
    expect(explainDatabaseFailure(refused, postgres)).toBeInstanceOf(OperatorError)
  })

  it.each(['EACCES', 'ENOTDIR', 'ENOSPC'])('keeps a message about another file that failed with %s', (code) => {
    const error = new OperatorError('The master key file cannot be read.', 1, { cause: failure(code) })
    expect(explainDatabaseFailure(error, sqlite)).toBe(error)
  })

  it('an error of the database is passed on unchanged if the operator can do nothing about it', () => {
    const bug = new TypeError('x is not a function')
    expect(explainDatabaseFailure(bug, sqlite)).toBe(bug)
  })
})

describe('a port that cannot be opened', () => {
  const place = { host: '10.0.0.9', port: 80, hostEnv: 'SVC_HOST', portEnv: 'SVC_PORT' }

  it.each([
    [
      'EADDRINUSE',
      'Port 80 on 10.0.0.9 is in use: stop the process that listens there, or set SVC_PORT to another port.',
    ],
    ['EACCES', 'Port 80 needs privileges that this user does not have: set SVC_PORT to 1024 or above.'],
    [
      'EADDRNOTAVAIL',
      'This machine does not have the address 10.0.0.9: set SVC_HOST to one it has, or to 0.0.0.0 for all.',
    ],
    ['ENOTFOUND', 'The host name 10.0.0.9 does not resolve: set SVC_HOST to an address of this machine.'],
    ['EMFILE', undefined],
    [undefined, undefined],
  ])('a port that fails to open with %s: the message names the setting to change, if one can help', (code, message) => {
    expect(explain(code, place)).toBe(message)
  })
})
