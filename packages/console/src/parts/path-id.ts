/** The id in an address, as the contract's `PathId` has it; undefined for any other text, which is the id of no resource. */
export function pathIdIn(text: string | undefined): number | undefined {
  const id = Number(text)
  return text !== undefined && /^[1-9][0-9]{0,15}$/.test(text) && Number.isSafeInteger(id) ? id : undefined
}
