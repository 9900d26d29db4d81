import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TcpClients, type Client } from './tcp-clients.js'

class Peer implements Client {
  open = true
  constructor(readonly remoteAddress: string | undefined) {}
  destroy(): void {
    this.open = false
  }
}

const address = (network: number, host: number) =>
  network % 2 === 0 ? `192.0.${network}.${host}` : `2001:db8:0:${network}::${(host + 1).toString(16)}`

describe('TCP connections', () => {
  it('connections stay within both limits, and a new one is always accepted', () => {
    const actions = fc.array(
      fc.record({ network: fc.nat(5), host: fc.nat(200), act: fc.constantFrom('add', 'add', 'touch', 'leave') }),
      { maxLength: 200 },
    )
    fc.assert(
      fc.property(actions, (all) => {
        const clients = new TcpClients({ connections: 9, perNetwork: 3 })
        let open: { peer: Peer; network: number }[] = []
        for (const { network, host, act } of all) {
          const chosen = open[host % Math.max(open.length, 1)]?.peer
          if (act === 'add') {
            const peer = new Peer(address(network, host))
            expect(clients.add(peer)).toBe(true)
            open.push({ peer, network })
          } else if (chosen !== undefined && act === 'touch') clients.touch(chosen)
          else if (chosen !== undefined) {
            clients.remove(chosen)
            open = open.filter(({ peer }) => peer !== chosen)
          }
          open = open.filter(({ peer }) => peer.open)
          expect(clients.size).toBe(open.length)
          expect(open.length).toBeLessThanOrEqual(9)
          for (let n = 0; n <= 5; n++) expect(open.filter((one) => one.network === n).length).toBeLessThanOrEqual(3)
        }
        clients.closeAll()
        expect(open.every(({ peer }) => !peer.open)).toBe(true)
      }),
    )
  })

  it('closes the longest idle connection of the network with the most connections when full', () => {
    const clients = new TcpClients({ connections: 6, perNetwork: 4 })
    const [a, b, c, d] = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'].map((ip) => new Peer(ip))
    const others = [new Peer('198.51.100.1'), new Peer('2001:db8::1')]
    for (const peer of [others[0]!, a!, b!, c!, d!, others[1]!]) clients.add(peer)
    clients.touch(a!)
    clients.add(new Peer('203.0.113.1'))
    expect([a, b, c, d, ...others].map((peer) => peer!.open)).toEqual([true, false, true, true, true, true])
  })

  it('closes the longest idle connection when full with one connection of each network', () => {
    const clients = new TcpClients({ connections: 3, perNetwork: 1 })
    const peers = ['192.0.2.1', '198.51.100.1', '203.0.113.1'].map((ip) => new Peer(ip))
    for (const peer of peers) clients.add(peer)
    clients.touch(peers[0]!)
    clients.add(new Peer('2001:db8::1'))
    expect(peers.map(({ open }) => open)).toEqual([true, false, true])
  })

  it('does not count a connection that is already broken', () => {
    const clients = new TcpClients({ connections: 1, perNetwork: 1 })
    expect(clients.add(new Peer(undefined))).toBe(false)
    expect(clients.size).toBe(0)
  })
})
