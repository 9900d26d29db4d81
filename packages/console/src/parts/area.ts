import type { FoundKind } from '@svc/contract'
import type { ComponentType } from 'react'
import type { RouteObject } from 'react-router'

/** Groups of the navigation, in their order. */
export const groups = ['Start', 'Names', 'Content', 'Inbox', 'Account'] as const

/** The parts of an area that the shell uses. `app/areas.ts` lists all areas. */
export interface ConsoleArea {
  readonly label: string
  readonly icon: ComponentType<{ readonly size?: number | string; readonly stroke?: number | string }>
  /** Path of its first page below /console, without slashes; empty for the start page. */
  readonly path: string
  readonly group: (typeof groups)[number]
  /** The letter that goes to it, after `g`; unique. */
  readonly key: string
  /** Its pages, loaded when they are first opened. Paths are relative to `path`. */
  readonly pages: readonly RouteObject[]
  /** What the command palette offers besides the first page. */
  readonly commands?: readonly Command[]
  /** Where the results of the search are opened. The parts are encoded. @returns a path below /console */
  readonly finds?: Readonly<Partial<Record<FoundKind, (parts: readonly string[]) => string>>>
}

/** An entry of the command palette that opens a page. */
export interface Command {
  /** In the imperative: "Claim a zone". */
  readonly label: string
  /** Path below /console, with a query if the page reads one: `dns?new`. */
  readonly path: string
  /** Found by these words too. */
  readonly words?: string
}
