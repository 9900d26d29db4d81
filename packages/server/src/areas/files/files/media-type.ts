import { lookup } from 'mime-types'

/** For bytes of an unknown kind (RFC 2046, section 4.5.1). */
const unknown = 'application/octet-stream'

/** The media type of a file: the declared one, otherwise that of the name's extension. */
export const mediaTypeOf = (name: string, declared: string | undefined): string => declared ?? (lookup(name) || unknown)
