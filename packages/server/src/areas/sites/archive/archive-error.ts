import { badRequest, badRequestSentence, type ApiError } from '@svc/contract/errors'
import { quoted } from '../../../shared/quoted.js'

/** 400 for the archive as a whole. @param problem follows the name of the field */
export const refuseArchive = (problem: string): ApiError => badRequest('archive', problem)

/** 400 for one entry of the archive. @param problem follows the name of the entry: `is encrypted` */
export const refuseEntry = (name: string, problem: string): ApiError =>
  badRequestSentence('archive', `archive: entry ${quoted(name)} ${problem}`)
