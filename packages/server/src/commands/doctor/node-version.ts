import type { Check } from './check.js'

/** When the maintenance of each line ends (https://github.com/nodejs/release#release-schedule). */
const endOfLife: Readonly<Record<number, string>> = {
  20: '2026-04-30',
  21: '2024-06-01',
  22: '2027-04-30',
  23: '2025-06-01',
  24: '2028-04-30',
  25: '2026-06-01',
  26: '2029-04-30',
}

/** Before the end, so that there is time for an upgrade. */
const warnDays = 60

const dayMs = 86_400_000

/** @param version such as `v20.20.2` @param now milliseconds since the epoch */
export function nodeProblem(version: string, now: number): string | undefined {
  const end = endOfLife[Number(/^v(\d+)/.exec(version)?.[1])]
  if (end === undefined || Date.parse(end) - now > warnDays * dayMs) return undefined
  return Date.parse(end) <= now
    ? `Node.js ${version} gets no security updates any more: its maintenance ended on ${end}.`
    : `Node.js ${version} gets security updates only until ${end}.`
}

/** The newest line with long-term support at a time. */
const recommended = (now: number): number => (now < Date.parse('2026-10-28') ? 24 : 26)

/** Whether the Node.js that runs svc is maintained. */
export const nodeCheck: Check = {
  section: 'node',
  deadlineMs: 1_000,
  async run(_, report) {
    const [now, { version }] = [Date.now(), process]
    const problem = nodeProblem(version, now)
    const next = String(recommended(now))
    if (problem === undefined) report.ok(`Node.js ${version} is maintained.`)
    else
      report.warning(
        problem,
        `Update svc, which brings a newer Node.js, or install Node.js ${next} and start svc with it. Then restart the server.`,
      )
  },
}
