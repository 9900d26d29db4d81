import { newShareKey } from '../sharing/share-key.js'
import { mediaTypeOf } from './media-type.js'
import { checkName } from './name.js'
import type { FileDetails } from './new-file-store.js'

/** The details of a new file. @throws ApiError `bad_request` for a name that is not accepted */
export function newDetails(given: { name: string; media_type?: string; shared?: boolean }): FileDetails {
  const name = checkName(given.name)
  return {
    name,
    mediaType: mediaTypeOf(name, given.media_type),
    shareKey: given.shared === true ? newShareKey() : null,
  }
}
