/** A page of the console, and the files that a browser loads before it shows the page. */
export interface PageFiles {
  /** Below /console, with `:name` for a parameter; `*` for a path without a page. */
  readonly path: string
  /** Relative to the console, without those that the HTML names. */
  readonly files: readonly string[]
}

/**
 * The files of the page at a path, which the build has written for each page.
 * @param path of the request, as it was sent
 */
export function filesOfPage(pages: readonly PageFiles[], path: string): readonly string[] {
  const steps = stepsOf(path.slice(path.indexOf('/console') + '/console'.length))
  const fits = (given: string) => {
    const wanted = stepsOf(given)
    return wanted.length === steps.length && wanted.every((step, at) => step.startsWith(':') || step === steps[at])
  }
  return pages.find((page) => page.path === '*' || fits(page.path))?.files ?? []
}

const stepsOf = (path: string): string[] => path.split('/').filter((step) => step !== '')
