import { InvalidSetting, optional, setting } from './setting.js'

/** Parses a whole number with at most this many digits. */
const cap =
  (digits: number) =>
  (text: string): number => {
    if (/^\d+$/.test(text) && text.length <= digits) return Number(text)
    throw new InvalidSetting(`must be a whole number, 0 to ${'9'.repeat(digits)}`)
  }

/** The most bytes; 0 for no limit. */
export const byteCap = cap(15)

/** The most open uploads of an account; 0 for no limit. */
const uploadCap = cap(7)

/** The most files of an account; 0 for no limit. */
export const fileCap = cap(9)

/** The limits of files. */
export const fileSettings = {
  diskReserveBytes: optional({
    env: 'SVC_DISK_RESERVE_BYTES',
    placeholder: '<bytes>',
    description:
      'Free bytes of a disk below which nothing large is stored, so that deletes have room; 0 for no reserve',
    shownDefault: '268435456, or 5 % of a smaller disk',
    parse: byteCap,
  }),
  filesBytesMax: setting({
    env: 'SVC_FILES_BYTES_MAX',
    placeholder: '<bytes>',
    description: 'The most bytes of the files and open uploads of an account; 0 for no limit',
    default: '100000000000',
    parse: byteCap,
  }),
  fileBytesMax: setting({
    env: 'SVC_FILE_BYTES_MAX',
    placeholder: '<bytes>',
    description: 'The most bytes of one file; 0 for no limit',
    default: '10000000000',
    parse: byteCap,
  }),
  uploadsMax: setting({
    env: 'SVC_UPLOADS_MAX',
    placeholder: '<number>',
    description: 'The most open uploads of an account; 0 for no limit',
    default: '100',
    parse: uploadCap,
  }),
  filesMax: setting({
    env: 'SVC_FILES_MAX',
    placeholder: '<number>',
    description: 'The most files of an account, each part of a large upload counted as one; 0 for no limit',
    default: '1000000',
    parse: fileCap,
  }),
} as const
