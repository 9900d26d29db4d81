import { badRequest } from '@svc/contract/errors'
import { fileNameMaxBytes } from '@svc/contract/limits'
import { refuseInvisible } from '../../../shared/visible-text.js'

/** Names of devices, in any folder and with any extension (Windows, "Naming Files, Paths, and Namespaces"). */
const device = /^(?:con|prn|aux|nul|(?:com|lpt)[0-9¹²³])(?:\.|$)/i

/** The rules in their order, with what follows the name of the field in the message. */
const rules: readonly (readonly [breaks: (name: string) => boolean, problem: string])[] = [
  [(name) => name === '', 'must not be empty'],
  [(name) => /[/\\]/.test(name), 'must not contain slashes or backslashes: files have no folders'],
  [(name) => name === '.' || name === '..', 'must not be . or .., which name folders'],
  [(name) => /^\s|\s$/.test(name), 'must not begin or end with a space'],
  [(name) => name.endsWith('.'), 'must not end with a dot, which Windows removes'],
  [
    (name) => device.test(name),
    'must not be the name of a device on Windows (CON, NUL, COM1), also not with an extension',
  ],
]

/**
 * Checks the name that a file downloads as: every usual system can save a file under it.
 * @throws ApiError `bad_request`
 */
export function checkName(name: string): string {
  // First, because the other rules read the whole name.
  const bytes = Buffer.byteLength(name)
  if (bytes > fileNameMaxBytes)
    throw badRequest('name', `must have at most ${fileNameMaxBytes} bytes in UTF-8, not ${bytes}`)
  refuseInvisible('name', name)
  for (const [breaks, problem] of rules) if (breaks(name)) throw badRequest('name', problem)
  return name
}
