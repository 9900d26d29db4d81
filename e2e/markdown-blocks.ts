/** The code blocks of the documents, for the tests that run them. */

export interface Block {
  readonly language: string
  readonly text: string
}

export const blocksOf = (markdown: string): Block[] =>
  Array.from(markdown.matchAll(/^```(\w+)\n([^]*?)^```$/gm), ([, language = '', text = '']) => ({ language, text }))

/** The text below a heading of any level, up to the next heading. @throws if the document has no such heading */
export function sectionOf(markdown: string, heading: string): string {
  const section = markdown.split(/^#{2,} /m).find((text) => text.startsWith(`${heading}\n`))
  if (section === undefined) throw new Error(`The document has no section "${heading}".`)
  return section
}

export const commandsOf = (markdown: string, heading: string): string[] =>
  blocksOf(sectionOf(markdown, heading)).flatMap(({ language, text }) => (language === 'sh' ? [text] : []))
