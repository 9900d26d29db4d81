import { describe, expect, it } from 'vitest'
import { readInventory } from './inventory-rules.js'

const zone = 'corp.com'

describe('readInventory', () => {
  it('reads every record with its host, and raises a ttl that is too low with a note', () => {
    const { records, notes, problems } = readInventory(zone, [
      'corp.com. 300 IN MX 10 mail.corp.com.',
      'www.corp.com. 5 IN AAAA 2001:db8:0:0:0:0:0:1',
      '*.corp.com. 300 IN TXT "a;b" "c"',
    ])
    expect(records.map(({ record }) => record)).toEqual([
      { type: 'MX', host: '@', value: 'mail.corp.com', priority: 10, ttl: 300 },
      { type: 'AAAA', host: 'www', value: '2001:db8::1', priority: null, ttl: 60 },
      { type: 'TXT', host: '*', value: 'a;bc', priority: null, ttl: 300 },
    ])
    expect(notes).toEqual(['www.corp.com. 5 IN AAAA 2001:db8:0:0:0:0:0:1: ttl 5 is raised to 60, the least there is'])
    expect(problems).toEqual([])
  })

  it.each([
    ['corp.com. 300 IN CNAME www.example.net.', '@ takes no CNAME record'],
    ['odd.corp.com. 300 IN TXT "\\255"', 'UTF-8'],
    ['sp\\032ace.corp.com. 300 IN A 192.0.2.1', 'is no name'],
    ['elsewhere.net. 300 IN A 192.0.2.1', 'is not in the zone'],
    ['www.corp.com. 300 IN A 192.0.2.1\n$ORIGIN evil.example.', 'has a line break.'],
  ])('names %j as one that cannot be taken over', (line, problem) => {
    const { problems } = readInventory(zone, ['www.corp.com. 300 IN A 192.0.2.1', line])
    expect(problems.length).toBeGreaterThan(0)
    expect(problems.join()).toContain(problem)
    expect(problems[0]?.startsWith(line.slice(0, 20))).toBe(true)
  })

  it('shortens a long record in what it says of it', () => {
    const [problem = ''] = readInventory(zone, [`corp.com. 300 IN CNAME ${'x'.repeat(5000)}.`]).problems
    expect(problem.length).toBeLessThan(1000)
  })
})
