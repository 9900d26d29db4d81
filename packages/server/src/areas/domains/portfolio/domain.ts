import type { ShownRegistration } from './registration.js'

/** A domain of a portfolio, with the fields of its answers. */
export interface Domain extends ShownRegistration {
  readonly id: number
  readonly domain: string
  readonly note: string
}

interface DomainRow {
  readonly id: number
  readonly name: string
  readonly note: string
  readonly registration: string
}

export const toDomain = ({ id, name, note, registration }: DomainRow): Domain => ({
  id,
  domain: name,
  note,
  ...(JSON.parse(registration) as ShownRegistration),
})
