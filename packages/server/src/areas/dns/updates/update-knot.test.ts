import { afterAll, beforeAll, expect, it } from 'vitest'
import { startKnotPrimary, type Knot } from '../../../../../../test/servers/index.js'
import { ask, exchangeUdp, read } from '../../../../test/dns-ask.js'
import { updatePacket } from '../../../../test/dns-update.js'
import {
  changeCases,
  nameservers,
  prerequisiteCases,
  recordsBefore,
  serialBefore,
} from '../../../../test/update-cases.js'

/** Knot answers the messages of update-cases.test.ts as svc does, except where a case says why not. */

const cases = [...prerequisiteCases, ...changeCases].map((one, index) => ({ ...one, zone: `zone${index}.example` }))

const zoneFile = [
  `@ 3600 SOA ${nameservers[0]}. hostmaster.svc.example. ${serialBefore} 7200 900 1209600 300`,
  ...nameservers.map((name) => `@ 3600 NS ${name}.`),
  ...recordsBefore.map(({ host, type, value, ttl, priority }) =>
    [host, ttl, type, priority ?? '', /^[\d.]+$/.test(value) || type === 'TXT' ? value : `${value}.`].join(' '),
  ),
].join('\n')

let knot: Knot
beforeAll(async () => {
  knot = await startKnotPrimary(new Map(cases.map(({ zone }) => [zone, `${zoneFile}\n`])))
})
afterAll(() => knot.stop())

/** The records of a zone: `www A 192.0.2.1 300`. */
async function contentOf(zone: string): Promise<string[]> {
  const { answers } = await ask(knot.port, zone, 'AXFR', { tcp: true })
  return answers
    .filter(({ type }) => type !== 'SOA')
    .map(({ name, type, value, ttl }) => {
      const host = name === zone ? '@' : name.slice(0, -zone.length - 1)
      return `${host} ${type} ${value} ${ttl}`
    })
}

it.each(cases)(
  '$title',
  async ({ zone, when: prerequisites = [], then: updates = [], rcode, effect = [], knot: differs }) => {
    const before = await contentOf(zone)
    const answer = read(await exchangeUdp(updatePacket({ zone, prerequisites, updates }), knot.port))
    expect(answer.rcode).toBe(differs?.rcode ?? rcode)
    const wanted = differs?.effect ?? effect
    if (wanted === 'unknown') return
    const after = await contentOf(zone)
    const lost = before.filter((line) => !after.includes(line)).map((line) => `-${line}`)
    const won = after.filter((line) => !before.includes(line)).map((line) => `+${line}`)
    expect([...lost, ...won].sort()).toEqual([...wanted].sort())
  },
)
