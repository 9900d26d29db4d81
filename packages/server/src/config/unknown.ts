import { closestMatch } from 'leven'
import { nameserverSettings } from './nameserver.js'
import { allSettings } from './settings.js'

/** Variables of `svc api`, `svc account import` and `svc nameserver`, which the server does not read. */
const otherVariables = ['SVC_EXPORT_KEY', 'SVC_TOKEN', 'SVC_URL', ...nameserverSettings.map(({ env }) => env)]

/** A warning for each `SVC_…` variable that is not a setting, because it may be a typo. */
export function unknownVariables(env: NodeJS.ProcessEnv): string[] {
  const known = allSettings.map((setting) => setting.env)
  return Object.keys(env)
    .filter((name) => name.startsWith('SVC_') && !known.includes(name) && !otherVariables.includes(name))
    .sort()
    .map((name) => {
      const meant = closest(name, known)
      const hint = meant === undefined ? 'svc serve --help lists all settings' : `did you mean ${meant}?`
      return `${name} is set, but it is not a setting: ${hint}`
    })
}

/** The name with the fewest changed letters; undefined if more than two, or a third of a long name, are different. */
const closest = (name: string, known: readonly string[]): string | undefined =>
  closestMatch(name, [...known], { maxDistance: Math.max(2, Math.floor((name.length - 'SVC_'.length) / 3)) })
