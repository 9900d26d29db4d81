import { readFile, writeFile } from 'node:fs/promises'
import { operations, openapi, openDetails } from '@svc/contract'
import { settingsTable } from '../config/config.js'

/** Writes the files that are generated from the contract and the settings. With `--check`, only lists outdated files. */

/** Generates the content of a file from its current content, which is undefined for a missing file. */
type Make = (current: string | undefined) => string

const files: Readonly<Record<string, Make>> = {
  'openapi/v1.json': () => `${JSON.stringify(openapi(operations), null, 2)}\n`,
  'docs/open-details.md': () => openDetails(operations),
  'docs/operating.md': (current) => withSection(current, 'settings', settingsTable()),
}

/** Replaces the section between two marks of a document that is written by hand. */
function withSection(document: string | undefined, name: string, section: string): string {
  const [begin, end] = [`<!-- generated: ${name} -->`, `<!-- end of ${name} -->`]
  const [before, rest] = document?.split(begin) ?? []
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined) throw new Error(`The marks ${begin} and ${end} are missing.`)
  return `${before}${begin}\n\n${section}\n\n${end}${after}`
}

const root = new URL('../../../../', import.meta.url)
const checkOnly = process.argv.includes('--check')

for (const [path, make] of Object.entries(files)) {
  const url = new URL(path, root)
  const current = await readFile(url, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  })
  const content = make(current)
  if (current === content) continue
  if (checkOnly) {
    console.error(`${path} is not up to date: run npm run generate.`)
    process.exitCode = 1
  } else {
    await writeFile(url, content)
    console.log(`wrote ${path}`)
  }
}
