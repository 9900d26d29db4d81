import { OperatorError } from '../../shared/operator-error.js'

/** The error of a command that needs a database for itself. */
export const databaseInUse = (file: string, cause: unknown): OperatorError =>
  new OperatorError(`Another process uses the database ${file}: stop the server first.`, 1, { cause })
