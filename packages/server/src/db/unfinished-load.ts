import { OperatorError } from '../operator-error.js'

/** The error of a database whose table `installation` has no row: `svc restore` and `svc database move` insert it last. */
export const unfinishedLoad = (): OperatorError =>
  new OperatorError('A restore or a move into this database has not ended: repeat svc restore or svc database move.')
