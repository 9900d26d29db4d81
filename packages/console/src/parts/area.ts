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
  /** Its pages, loaded when they are first opened. Paths are relative to `path`. */
  readonly pages: readonly RouteObject[]
  /** What the command palette offers besides the first page. */
  readonly commands?: readonly Command[]
}

/** An entry of the command palette that opens a page. */
export interface Command {
  /** In the imperative: "Claim a zone". */
  readonly label: string
  /** Path below /console, with a query if the page reads one: `dns?new`. */
  readonly path: string
}
