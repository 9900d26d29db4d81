/** Makes a change of each item, four at a time. @returns the errors, without ending the others */
export async function eachOf<Item>(
  items: readonly Item[],
  change: (item: Item) => Promise<unknown>,
): Promise<unknown[]> {
  const rest = [...items]
  const errors: unknown[] = []
  const worker = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift())
      await change(item).catch((error: unknown) => errors.push(error))
  }
  await Promise.all([worker(), worker(), worker(), worker()])
  return errors
}
