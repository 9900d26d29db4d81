/** Sentences with places that a page shows as links. */

/** The place of who did it. */
export const who = Symbol('who')
/** The place of the thing. */
export const thing = Symbol('thing')

type Part = string | typeof who | typeof thing

export type Sentence = readonly Part[]

/** A sentence: `say\`${who} changed the zone ${thing}\``. */
export function say(texts: TemplateStringsArray, ...places: readonly Part[]): Sentence {
  const parts = texts.flatMap((text, index): Part[] => [text, places[index] ?? ''])
  return parts.filter((part) => part !== '')
}
