import { lookup } from 'mime-types'
import { newShareKey, type FileDetails } from './file.js'
import { checkName } from './name.js'

/** The details of a new file. @throws ApiError `bad_request` for a name that is not accepted */
export function newDetails(given: { name: string; media_type?: string; shared?: boolean }): FileDetails {
  const name = checkName(given.name)
  return {
    name,
    mediaType: mediaTypeOf(name, given.media_type),
    shareKey: given.shared === true ? newShareKey() : null,
  }
}

/** For bytes of an unknown kind (RFC 2046, section 4.5.1). */
const unknown = 'application/octet-stream'

/** The media type of a file: the declared one, otherwise that of the name's extension. */
export const mediaTypeOf = (name: string, declared: string | undefined): string => declared ?? (lookup(name) || unknown)
