/** Marks the elements that single keys act on (`app/keys.ts`). */

/** The search or the filter of a page. */
export const searchField = { 'data-search-field': true } as const

/** The main act of a page, if it is not the last button beside the title. */
export const mainAct = { 'data-main-act': true } as const

/** What opens the row that it is in, if that is not its first link. */
export const rowOpener = { 'data-row-opener': true } as const

/** Around the buttons beside the title of a page. */
export const pageActions = { 'data-page-actions': true } as const

/** The rows of lists. They take the focus by keys, and are no Tab stops. */
export const rowSelector = ':is(tr, li)[data-index]'

const visible = (element: HTMLElement | undefined): element is HTMLElement =>
  element?.checkVisibility({ visibilityProperty: true }) === true

const all = (within: Element, selector: string): HTMLElement[] =>
  [...within.querySelectorAll<HTMLElement>(selector)].filter(visible)

export const searchFieldIn = (page: Element): HTMLElement | undefined => all(page, '[data-search-field]')[0]

export const mainActIn = (page: Element): HTMLElement | undefined =>
  all(page, '[data-main-act]:not(:disabled)')[0] ??
  all(page, '[data-page-actions] :is(a[href], button:not(:disabled, [aria-haspopup]))').at(-1)

export const rowsIn = (page: Element): HTMLElement[] => all(page, rowSelector)

export const openerOf = (row: Element): HTMLElement | undefined =>
  all(row, '[data-row-opener]')[0] ?? all(row, 'a[href]')[0]
