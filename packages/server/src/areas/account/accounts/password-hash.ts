/**
 * The limits of a stored hash: above what svc makes, far below what delays other sign-ins. A hash comes from the file of an import, too: with
 * 512 MiB and thirty passes, each sign-in took 20 seconds.
 */
const costMax = { memoryKib: 65_536, passes: 4, lanes: 4 } as const

/** The PHC string of argon2id: 8 to 48 bytes of salt, 16 to 64 bytes of hash, in base64 without padding. */
const phcForm = /^\$argon2id\$v=19\$m=(\d{1,9}),t=(\d{1,9}),p=(\d{1,9})\$[A-Za-z0-9+/]{11,64}\$[A-Za-z0-9+/]{22,86}$/

/** Whether a text is a hash of a password that a sign-in may verify. */
export function isPasswordHash(text: string): boolean {
  const [, memory, passes, lanes] = (phcForm.exec(text) ?? []).map(Number)
  if (memory === undefined || passes === undefined || lanes === undefined) return false
  // RFC 9106, section 3.1: at least one pass and one lane, and eight KiB for each lane.
  const isAboveMin = passes >= 1 && lanes >= 1 && memory >= 8 * lanes
  return isAboveMin && memory <= costMax.memoryKib && passes <= costMax.passes && lanes <= costMax.lanes
}
