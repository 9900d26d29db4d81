/**
 * The sizes of reads from the disk, in bytes. Each read is a task of the thread pool, so large ones halve the cost of a byte. A
 * client that stops reading holds about two reads in memory, so only some readers at a time get large ones.
 */
const large = 1024 * 1024
const usual = 64 * 1024

const largeAtOnce = 32

/** The readers with large reads. */
let largeReaders = 0

/**
 * @param length how many bytes are read in all
 * @returns the size of a read, and a function that the reader calls once, at its end
 */
export function takeReadSize(length: number): { readonly size: number; readonly release: () => void } {
  if (length <= large || largeReaders >= largeAtOnce) return { size: usual, release: () => undefined }
  largeReaders += 1
  return {
    size: large,
    release: () => {
      largeReaders -= 1
    },
  }
}
