import { describe, expect, it } from 'vitest'
import { areaOf, areas, llmsTxt, operations, referenceAnchor, referencePath } from '../src/index.js'

const baseUrl = 'https://api.example.org'
const text = llmsTxt(operations, { baseUrl })

/** Violations of the format of https://llmstxt.org: H1, blockquote, text without headings, then H2 sections with lists of links. */
function breaches(document: string): string[] {
  const lines = document.split('\n')
  const wrong: string[] = []
  if (!/^# \S/.test(lines[0] ?? '')) wrong.push('line 1 is not an H1')
  if (lines[1] !== '' || !/^> \S/.test(lines[2] ?? '')) wrong.push('line 3 is not a blockquote')
  let section = false
  for (const [index, line] of lines.entries()) {
    if (index < 3 || line === '') continue
    const heading = line.startsWith('#')
    if (heading && !/^## \S/.test(line)) wrong.push(`line ${String(index + 1)} is a heading other than H2`)
    if (section && !heading && !/^- \[[^\]]+\]\(https?:\/\/[^\s()]+\): \S/.test(line)) {
      wrong.push(`line ${String(index + 1)} is not a link with a description`)
    }
    section ||= heading
  }
  if (!document.endsWith('\n') || document.endsWith('\n\n')) wrong.push('does not end in one newline')
  return wrong
}

describe('the whole contract', () => {
  it('has the format of llmstxt.org, line by line', () => {
    expect(breaches(text)).toEqual([])
  })

  it('has absolute URLs as links', () => {
    const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map((match) => match[1] ?? '')
    expect(links.length).toBe(operations.length + Object.keys(areas).length + 4)
    for (const link of links) expect(new URL(link).href).toBe(link)
  })

  it('links to the OpenAPI document, the brief and the reference', () => {
    for (const path of ['/v1/openapi.json', '/v1/ai', '/reference']) expect(text).toContain(`(${baseUrl}${path})`)
  })

  it('lists every endpoint, in a section for each area', () => {
    for (const op of operations) {
      const file = `${baseUrl}${referencePath(areaOf(op))}`
      const line = `- [${op.method} ${op.path}](${file}#${referenceAnchor(op)}): ${op.summary} (`
      expect(text.split('\n').filter((other) => other.startsWith(line))).toHaveLength(1)
    }
    expect(text.match(/^## /gm)).toHaveLength(Object.keys(areas).length + 1)
  })

  it('is deterministic and ignores a trailing slash of the base URL', () => {
    expect(llmsTxt(operations, { baseUrl: `${baseUrl}/` })).toBe(text)
  })
})

it.each([
  ['without its title', text.replace('# svc', 'svc')],
  ['without its summary', text.replace('\n> ', '\n')],
  ['with a deeper heading', text.replace('## DNS', '### DNS')],
  ['with a relative link', text.replace(`(${baseUrl}/v1/ai): `, '(/v1/ai): ')],
])('the check finds a file %s', (_, broken) => {
  expect(breaches(broken)).not.toEqual([])
})
