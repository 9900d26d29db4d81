/** A session ends this long after its beginning, even if it is in use. */
export const sessionLifetimeMs = 30 * 24 * 60 * 60 * 1000

/** Sessions that began at this time or earlier have ended. Milliseconds since the epoch. */
export const latestEnded = () => Date.now() - sessionLifetimeMs
