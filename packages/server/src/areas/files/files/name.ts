import { badRequest } from '@svc/contract/errors'
import { fileNameProblem } from '@svc/contract/limits'

/**
 * Checks the name that a file downloads as: all common operating systems can save a file under it.
 * Apart from the details, whose media types take the writer thread 11 ms to load.
 * @throws ApiError `bad_request`
 */
export function checkName(name: string): string {
  const problem = fileNameProblem(name)
  if (problem !== undefined) throw badRequest('name', problem)
  return name
}
