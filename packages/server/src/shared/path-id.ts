/** The id in a path. Ids are positive integers; other text becomes 0, which no row has. */
export const pathId = (given: string): number => (/^[1-9]\d{0,14}$/.test(given) ? Number(given) : 0)
