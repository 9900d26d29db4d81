import { readFile, writeFile } from 'node:fs/promises'
import { openDetails, openapi } from '@svc/contract'
import { implementedOperations } from '../areas/implemented.js'

/** Writes the files that are made from the contract. With `--check`, only says which of them are not up to date. */

const files: Readonly<Record<string, string>> = {
  'openapi/v1.json': `${JSON.stringify(openapi(implementedOperations), null, 2)}\n`,
  'docs/open-details.md': openDetails(implementedOperations),
}

const root = new URL('../../../../', import.meta.url)
const checkOnly = process.argv.includes('--check')

for (const [path, content] of Object.entries(files)) {
  const url = new URL(path, root)
  const current = await readFile(url, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (current === content) continue
  if (checkOnly) {
    console.error(`${path} is not up to date: run npm run generate.`)
    process.exitCode = 1
  } else {
    await writeFile(url, content)
    console.log(`wrote ${path}`)
  }
}
