/** Version numbers of Semantic Versioning 2.0.0, as far as the pages need them. */

type Release = readonly [major: number, minor: number, patch: number]

/** @returns undefined for a prerelease */
function releaseOf(version: string): Release | undefined {
  const [numbers = ''] = version.split('+', 1)
  if (numbers.includes('-')) return undefined
  const [major = 0, minor = 0, patch = 0] = numbers.split('.').map(Number)
  return [major, minor, patch]
}

const compare = (a: Release, b: Release): number => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]

/** The highest release; undefined if there are only prereleases. The address `/p/<slug>/latest/` leads to it. */
export const latestOf = (versions: readonly string[]): string | undefined =>
  versions.reduce<string | undefined>((highest, version) => {
    const release = releaseOf(version)
    const best = highest === undefined ? undefined : releaseOf(highest)
    return release !== undefined && (best === undefined || compare(release, best) > 0) ? version : highest
  }, undefined)

/** Numbers that a next release can have: a fix, a feature, a breaking change. */
export function nextVersions(versions: readonly string[]): readonly string[] {
  const latest = latestOf(versions)
  if (latest === undefined) return ['0.1.0', '1.0.0']
  const [major = 0, minor = 0, patch = 0] = releaseOf(latest) ?? []
  return [`${major}.${minor}.${patch + 1}`, `${major}.${minor + 1}.0`, `${major + 1}.0.0`]
}
