import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { change, updatePacket, type WireRecord } from '../../../../test/dns-update.js'
import { LowDiskSpace, nothingNew, unlimitedSpace, type DiskSpace } from '../../../ports/space/port.js'
import type { Account } from '../../../shared/account.js'
import { operatorActor } from '../../../shared/actor.js'
import { updateHandler } from './update-handler.js'

const { add, removeRRset } = change
const client = { address: '127.0.0.1', port: 1053, transport: 'udp' } as const

/** A handler whose changes do not end. */
function hangingHandler(space: DiskSpace = unlimitedSpace) {
  const begun: number[] = []
  const counted: string[] = []
  const hang = (account: Pick<Account, 'id'>) => {
    begun.push(account.id)
    return new Promise<never>(() => undefined)
  }
  const handle = updateHandler({
    space,
    nameservers: ['ns1.example.net'],
    hostmaster: undefined,
    dns: {
      queryCounts: {
        count: (zone, name) => counted.push(`${name} ${String(zone)}`),
        ...{ totals: () => [], take: () => [], zones: () => 0 },
      },
    },
    records: { requireVerified: () => Promise.reject(new Error('not used')) },
    publisher: { applyUpdate: hang, applyChange: hang },
    log: pino({ level: 'silent' }),
  })
  let macs = 0
  const send = (accountId: number, tokenId: number, ...updates: WireRecord[]): Promise<number> => {
    const account: Account = {
      ...{ id: accountId, email: 'ada@example.com', nickname: '', createdAt: 0, limits: {} },
      actor: operatorActor('test'),
    }
    const caller = { account, scopes: ['dns:write'], session: null, tokenId } as const
    const packet = updatePacket({ zone: 'example.com', updates })
    return handle({ packet, signer: { kind: 'account', caller }, mac: Buffer.from([++macs]), client })
  }
  return { begun, counted, send }
}

describe('updates', () => {
  it('of an account with many keys leave room for those of another account', async () => {
    const { begun, send } = hangingHandler()
    for (let tokenId = 1; tokenId <= 40; tokenId++) void send(1, tokenId, add('www', 300, 'A', '192.0.2.1'))
    void send(2, 100, add('www', 300, 'A', '192.0.2.1'))
    await expect.poll(() => begun).toContain(2)
    expect(begun.filter((id) => id === 1)).toHaveLength(4)
  })
  it('that add records get SERVFAIL on a full disk, and deletions begin', async () => {
    const full = () => {
      throw new LowDiskSpace(nothingNew)
    }
    const { begun, counted, send } = hangingHandler({ ...unlimitedSpace, requireForChange: full })
    const update = [removeRRset('www', 'A'), add('www', 300, 'A', '192.0.2.1')]
    expect(await send(1, 1, ...update)).toBe(2)
    expect(begun).toEqual([])
    expect(counted).toEqual(['failed undefined'])
    void send(1, 1, removeRRset('www', 'A'))
    await expect.poll(() => begun).toEqual([1])
  })
})
