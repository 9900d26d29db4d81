import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { graphOf } from './import-graph.js'

/** Compares docs/add-an-area.md with the areas: it names every file that an area touches. */

const areas = readdirSync('packages/server/src/areas', { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

/** The composition of the server and of the operator's commands. */
const lists = ['server/src/app/app.ts', 'server/src/app/tables.ts']

/** The names that the rules of tokens can have, for the server and `svc token`. */
const ruleNames = 'server/src/app/rule-names.ts'

/** Areas with commands of the operator, and the modules besides the commands that import them. */
const withCommands: Readonly<Record<string, readonly string[]>> = {
  account: ['server/src/index.ts', 'server/src/app/own-store.ts', ruleNames],
  dns: ['server/src/index.ts', 'server/src/app/ports.ts', ruleNames],
  files: [],
  packages: [],
  sites: [],
}

const graph = graphOf('static', 'dynamic', 'type')

it.each(areas)('the area %s is imported by the lists of areas, and by the operator’s commands of the area', (area) => {
  const isInside = (module: string) => module.startsWith(`server/src/areas/${area}/`)
  const importing = [...graph].flatMap(([module, imported]) =>
    !isInside(module) && imported.some(isInside) ? [module] : [],
  )
  const others = withCommands[area]
  const unexpected = importing.filter((module) => {
    if (lists.includes(module)) return false
    return others === undefined || !(module.startsWith('server/src/commands/') || others.includes(module))
  })
  expect(unexpected).toEqual([])
})

describe('docs/add-an-area.md', () => {
  const document = readFileSync('docs/add-an-area.md', 'utf8')
  const checklist = document.slice(document.indexOf('## Checklist'), document.indexOf('## 1.'))
  const rows = Array.from(checklist.matchAll(/^\| `([^`]+)`/gm), ([, path = '']) => path)
  const examples = { area: 'account', name: 'session', number: '0001', port: 'rates' }
  const pathOf = (row: string) =>
    row
      .replace('<number>-<name>', '0001-foundation')
      .replaceAll(/<(\w+)>/g, (_, key: keyof typeof examples) => examples[key])

  it('names existing files', () => {
    expect(rows.length).toBeGreaterThan(15)
    expect(rows.map(pathOf).filter((path) => !existsSync(`packages/${path}`) && !existsSync(path))).toEqual([])
  })

  it('names every list of areas', () => {
    expect(rows).toEqual(expect.arrayContaining(lists))
  })
})
