import type { ColumnOf, Replacement, RowOf, TableName, TakenTerms, UniqueColumn } from './table-declaration.js'

/** Leaves out rows whose SHA-256 of a secret is taken. @param describe the row, as the subject of a sentence */
export const leftOutIfTaken = <T extends TableName>(
  column: ColumnOf<T>,
  kind: 'bytes' | 'text',
  describe: (row: RowOf<T>) => string,
): UniqueColumn<T> => ({
  column,
  kind,
  ifTaken: (row) => ({ columns: undefined, change: `${describe(row)} is left out: it exists in this installation.` }),
})

/** The length of a DNS label. */
const labelMax = 63
const attemptsMax = 1000

/** Appends a number to a taken name: `blog` becomes `blog-2`. @param noun names the row in the sentence for the operator */
export const renamedIfTaken = <T extends TableName>(noun: string, column: ColumnOf<T>) => ({
  column,
  kind: 'text' as const,
  ifTaken: async (row: RowOf<T>, { isFree }: TakenTerms): Promise<Replacement<T>> => {
    const name = String((row as Readonly<Record<string, unknown>>)[column])
    for (let number = 2; number < attemptsMax; number++) {
      const suffix = `-${String(number)}`
      const renamed = `${name.slice(0, labelMax - suffix.length)}${suffix}`
      if (await isFree(renamed))
        return {
          columns: { [column]: renamed } as Partial<RowOf<T>>,
          change: `The ${noun} ${name} is renamed to ${renamed}: its name is taken here.`,
        }
    }
    throw new Error(`No name is free for the ${noun} ${name}.`)
  },
})
