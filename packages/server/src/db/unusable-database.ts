import { OperatorError } from '../shared/operator-error.js'

/** The error of a database whose table `installation` has no row: `svc restore` and `svc database move` insert it last. */
export const unfinishedLoad = (): OperatorError =>
  new OperatorError('A restore or a move into this database has not ended: repeat svc restore or svc database move.')

/** The error of a database that `svc database move` has copied, or begun to copy. @param url of the other one, without a password */
export const movedAway = (url: string): OperatorError =>
  new OperatorError(
    `This database was moved to ${url}, or a move to it has not ended: set SVC_DATABASE to that one, or repeat svc database move. To go on with this one instead, run svc database reopen.`,
  )
