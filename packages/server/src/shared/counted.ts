/** `1 object`, `2 objects`: a number with a noun whose plural ends in s, for messages. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
