import { describe, expect, it } from 'vitest'
import { recordTypes } from '../src/areas/dns.js'
import { forwarderKeysMax } from '../src/areas/sms.js'
import { hashAlgorithms } from '../src/areas/public.js'
import { at, find, plain } from './operations.js'

const records = '/v1/dns/zones/{zone}/records'

describe('the limits of section 8', () => {
  it('ttl on create: 60 to 2592000 seconds, default 3600', () => {
    const { body } = find({ method: 'POST', path: records })
    expect(at(plain(body), 'ttl')).toMatchObject({ type: 'integer', minimum: 60, maximum: 2592000, default: 3600 })
  })

  it('ttl on update: the same bounds and no default, since only supplied fields change', () => {
    const { body } = find({ method: 'PATCH', path: `${records}/{id}` })
    expect(at(plain(body), 'ttl')).toMatchObject({ type: 'integer', minimum: 60, maximum: 2592000 })
    expect(JSON.stringify(body)).not.toContain('"default"')
  })

  it('hash input: at most 8192 bytes', () => {
    const { query } = find({ method: 'GET', path: '/v1/public/hash' })
    expect(at(plain(query), 'value')?.description).toMatch(/at most 8192 bytes/)
  })

  it('display name: at most 64 characters', () => {
    const { body } = find({ method: 'POST', path: '/v1/account/profile' })
    expect(at(plain(body), 'value')?.description).toMatch(/^At most 64 characters/)
  })

  it('forwarder keys: at most five at a time', () => {
    expect(find({ method: 'POST', path: '/v1/sms/keys' }).summary).toMatch(/at most five at a time/)
    expect(forwarderKeysMax).toBe(5)
  })

  it('exchange rates: refreshed hourly', () => {
    expect(find({ method: 'GET', path: '/v1/public/fx' }).summary).toMatch(/hourly/)
  })
})

describe('the values that the specification lists', () => {
  const types = ['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'NS', 'SRV', 'CAA', 'PTR', 'SPF']

  it('record types (section 2.3), in what is sent and in the filter', () => {
    expect(recordTypes).toEqual(types)
    expect(at(plain(find({ method: 'POST', path: records }).body), 'type')?.enum).toEqual(types)
    expect(at(plain(find({ method: 'GET', path: records }).query), 'type')?.enum).toEqual(types)
  })

  it('states of a claim, and `all` in the filter (sections 2.2 and 4.4)', () => {
    const { query } = find({ method: 'GET', path: '/v1/dns/zones' })
    const { data } = find({ method: 'GET', path: '/v1/dns/zones/{zone}' })
    expect(at(plain(query), 'status')).toMatchObject({ enum: ['verified', 'pending', 'all'], default: 'all' })
    expect(at(plain(data), 'status')?.enum).toEqual(['verified', 'pending'])
  })

  it('hash algorithms and what the profile sets (sections 4.2 and 4.3)', () => {
    expect(hashAlgorithms).toEqual(['sha256', 'sha512', 'sha1', 'md5', 'crc32b'])
    expect(at(plain(find({ method: 'GET', path: '/v1/public/hash' }).query), 'algo')?.enum).toEqual(hashAlgorithms)
    expect(at(plain(find({ method: 'POST', path: '/v1/account/profile' }).body), 'field')?.const).toBe('nickname')
  })
})
