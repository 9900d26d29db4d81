import { badRequest } from '@svc/contract/errors'
import { count, text } from '../../db/columns.js'
import { ofInstallation, type AreaTables, type RowRule } from '../../db/table-declaration.js'
import { writerOf } from './port.js'

const blob: RowRule<'blob'> = {
  columns: { key: text(64), size: count },
  check: ({ key }) => {
    if (writerOf(key) === undefined) throw badRequest('key', 'must be the key of an object')
  },
}

/** Areas refer to objects by their keys, and remove them with the rows that refer to them. */
export const blobTables = {
  tables: {
    blob_writer: ofInstallation('the running processes'),
    blob_writer_ended: ofInstallation('processes of the installation'),
    blob: { ownership: { by: 'referrer' }, references: {}, rule: blob },
  },
} satisfies AreaTables
