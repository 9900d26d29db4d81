/**
 * What a secret belongs to: the table, the account and what identifies the row there, such as `['credential', 7, 'github', 'work']`.
 * It is authenticated with the ciphertext, so that a ciphertext that is moved to another row does not open.
 */
export type SecretIdentity = readonly [table: string, accountId: number, ...row: readonly (string | number)[]]
