/**
 * What the operator allows an account:
 * - `active`: everything
 * - `suspended`: nothing by itself, but its zones, sites and links are served
 * - `stopped`: nothing, and nothing of it is served
 * - `deleted`: a server is removing what it had
 */
export const accountStates = ['active', 'suspended', 'stopped', 'deleted'] as const

export type AccountState = (typeof accountStates)[number]

/** The states in which the zones, sites and links of an account are served. */
export const servedStates: readonly AccountState[] = ['active', 'suspended']
