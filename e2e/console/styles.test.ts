import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { inspect, startConsole, type ConsoleSite } from './harness.js'

/** The style sheets of the built console. A build can change a value so that it is invalid, which no test of the sources finds. */

const email = 'ada@example.com'
const consolePackage = fileURLToPath(new URL('../../packages/console/', import.meta.url))
const themes = ['light', 'dark'] as const

let site: ConsoleSite
beforeAll(async () => {
  site = await startConsole()
  await site.account(email)
})
afterAll(() => site.close())

/** The names of all files below a folder of the console that have an ending. */
const filesIn = async (folder: string, ending: string) =>
  (await readdir(join(consolePackage, folder), { recursive: true }))
    .filter((name) => name.endsWith(ending))
    .map((name) => join(consolePackage, folder, name))

const textsOf = async (folder: string, ending: string) =>
  Promise.all((await filesIn(folder, ending)).map((path) => readFile(path, 'utf8')))

const classesIn = (css: string) =>
  [...css.replaceAll(/\/\*[^]*?\*\//g, '').matchAll(/\.([a-z][\w-]*)/gi)].map(([, name = '']) => name)

interface Checked {
  /** The classes of CSS modules, by the names of the sources. */
  readonly classes: readonly string[]
  /** Declarations that the browser ignores, with their classes. */
  readonly invalid: readonly string[]
}

/**
 * Puts the values of the variables of the page into each declaration of the CSS modules, and asks the browser whether it accepts the
 * result: it ignores a declaration that becomes invalid without an error. The build names a class `_name_hash_line`.
 */
const check = (page: Page, sheets: readonly string[]) =>
  page.evaluate<Checked>(`((sheets) => {
    const classes = new Set()
    const invalid = []
    const values = getComputedStyle(document.body)
    const variable = /var\\(\\s*(--[\\w-]+)\\s*(?:,((?:[^()]|\\([^()]*\\))*))?\\)/
    const resolve = (text) => {
      let rest = text
      for (let found = variable.exec(rest); found !== null; found = variable.exec(rest)) {
        const value = values.getPropertyValue(found[1]).trim() || (found[2] ?? '').trim() || 'no-value'
        rest = rest.replace(found[0], () => value)
      }
      return rest
    }
    const visit = (rules) => {
      for (const rule of rules) {
        visit(rule.cssRules ?? [])
        const own = [...(rule.selectorText ?? '').matchAll(/\\._([A-Za-z][\\w-]*?)_[\\w-]{5}_\\d+/g)].map(([, name]) => name)
        if (own.length === 0) continue
        for (const name of own) classes.add(name)
        for (const declaration of rule.style.cssText.split(';')) {
          const resolved = resolve(declaration.trim())
          if (resolved !== '' && !CSS.supports(resolved.replace(/!\\s*important/, ''))) invalid.push('.' + own.join(' .') + ' ' + resolved)
        }
      }
    }
    for (const text of sheets) {
      const sheet = new CSSStyleSheet()
      sheet.replaceSync(text)
      visit(sheet.cssRules)
    }
    return { classes: [...classes], invalid }
  })(${JSON.stringify(sheets)})`)

it('every declaration in the CSS modules of the build is valid, in light and dark colors', async () => {
  const [sources, sheets] = await Promise.all([textsOf('src', '.module.css'), textsOf('dist/assets', '.css')])
  const page = await site.open(email, 'files')
  await page.getByRole('heading', { name: 'No files yet' }).waitFor()
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme })
    const { classes, invalid } = await check(page, sheets)
    expect(invalid, colorScheme).toEqual([])
    expect(sources.flatMap(classesIn).filter((name) => !classes.includes(name))).toEqual([])
  }
})

/** Red, green, blue and alpha of the background of the overlay, each from 0 to 255. */
const overlayColor = (page: Page) =>
  page.evaluate<number[]>(`(() => {
    const context = document.createElement('canvas').getContext('2d')
    context.fillStyle = getComputedStyle(document.querySelector('[class^="_hint_"]')).backgroundColor
    context.fillRect(0, 0, 1, 1)
    return [...context.getImageData(0, 0, 1, 1).data]
  })()`)

it('files that are dragged over the page cover its text, in light and dark colors', async () => {
  const page = await site.open(email, 'files')
  await page.getByRole('heading', { name: 'No files yet' }).waitFor()
  const dataTransfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer()
    transfer.items.add(new File(['hello'], 'notes.txt'))
    return transfer
  })()`)
  await page.locator('body').dispatchEvent('dragenter', { dataTransfer })
  await page.getByText('Drop the files to upload them').waitFor()
  await inspect(page, 'files-drop')
  const found: number[][] = []
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme })
    await expect
      .poll(() => page.evaluate<string>("document.documentElement.getAttribute('data-mantine-color-scheme')"))
      .toBe(colorScheme)
    found.push(await overlayColor(page))
  }
  const [light = [], dark = []] = found
  for (const [, , , alpha = 0] of found) expect(alpha).toBeGreaterThan(0.9 * 255)
  expect(light[0]).toBeGreaterThan(200)
  expect(dark[0]).toBeLessThan(60)
})
