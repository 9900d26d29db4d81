import { readFile, writeFile } from 'node:fs/promises'
import { implementedOperations, openapi, openDetails } from '@svc/contract'
import { settingsTable } from '../config.js'

/** Writes what is made from the contract and the settings. With `--check`, only says which files are not up to date. */

/** The content of a file, from what stands there now; undefined where there is none. */
type Make = (current: string | undefined) => string

const files: Readonly<Record<string, Make>> = {
  'openapi/v1.json': () => `${JSON.stringify(openapi(implementedOperations), null, 2)}\n`,
  'docs/open-details.md': () => openDetails(implementedOperations),
  'docs/operating.md': (current) => withSection(current, 'settings', settingsTable()),
}

/** A document that is written by hand but for what stands between two marks. */
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
