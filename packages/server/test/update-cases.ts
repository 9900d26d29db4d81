import { change, prereq, type WireRecord } from './dns-update.js'

/**
 * UPDATEs of a zone with known records, and their outcomes by RFC 2136, sections 3.2 to 3.4. svc and Knot answer them alike, except
 * where a case names a difference.
 */
export interface UpdateCase {
  readonly title: string
  /** Prerequisites. */
  readonly when?: readonly WireRecord[]
  readonly then?: readonly WireRecord[]
  readonly rcode: string
  /** What the change removes from the zone and adds to it: `-www A 192.0.2.1 300`. */
  readonly effect?: readonly string[]
  /** How Knot differs. */
  readonly knot?: { readonly why: string; readonly rcode?: string; readonly effect?: readonly string[] | 'unknown' }
}

/** The records of the zone before each case. */
export const recordsBefore = [
  { host: 'www', type: 'A', value: '192.0.2.1', ttl: 300, priority: null },
  { host: 'www', type: 'A', value: '192.0.2.2', ttl: 300, priority: null },
  { host: 'www', type: 'TXT', value: 'hello', ttl: 600, priority: null },
  { host: 'alias', type: 'CNAME', value: 'www.example.net', ttl: 300, priority: null },
  { host: '@', type: 'MX', value: 'mail.example.net', ttl: 300, priority: 10 },
  { host: 'below.empty', type: 'TXT', value: 'x', ttl: 300, priority: null },
] as const

export const nameservers = ['ns1.svc.example', 'ns2.svc.example'] as const
export const serialBefore = 7

const soa = (serial: number, more: object = {}) => ({
  ...{ mname: 'ns1.svc.example', rname: 'hostmaster.svc.example', serial, refresh: 7200, retry: 900 },
  ...{ expire: 1_209_600, minimum: 300, ...more },
})

const { yxdomain, nxdomain, yxrrset, nxrrset, equal } = prereq
const { add, remove, removeRRset, removeName, record } = change

const added = add('new', 300, 'A', '192.0.2.9')
const addedEffect = ['+new A 192.0.2.9 300']
/** With a change, so that an outcome of the prerequisites can be seen in the zone. */
const prerequisite = (title: string, when: readonly WireRecord[], rcode = 'NOERROR'): UpdateCase => ({
  title,
  when,
  then: [added],
  rcode,
  effect: rcode === 'NOERROR' ? addedEffect : [],
})

export const prerequisiteCases: readonly UpdateCase[] = [
  prerequisite('a name that is in use', [yxdomain('www')]),
  prerequisite('names are compared without regard to case', [yxdomain('WwW')]),
  prerequisite('a name that is not in use', [yxdomain('nowhere')], 'NXDOMAIN'),
  prerequisite('an empty non-terminal is not in use', [yxdomain('empty')], 'NXDOMAIN'),
  prerequisite('the apex is in use', [yxdomain('@')]),
  prerequisite('no name in use, as wanted', [nxdomain('nowhere')]),
  prerequisite('an empty non-terminal is free', [nxdomain('empty')]),
  prerequisite('a name in use that must be free', [nxdomain('www')], 'YXDOMAIN'),
  prerequisite('an alias is a name in use', [nxdomain('alias')], 'YXDOMAIN'),
  prerequisite('the apex is never free', [nxdomain('@')], 'YXDOMAIN'),
  prerequisite('an RRset that exists', [yxrrset('www', 'A')]),
  prerequisite('an RRset of another type', [yxrrset('www', 'AAAA')], 'NXRRSET'),
  prerequisite('an RRset of a type that svc does not manage', [yxrrset('www', 'DHCID')], 'NXRRSET'),
  prerequisite('an alias is not an RRset of another type', [yxrrset('alias', 'A')], 'NXRRSET'),
  prerequisite('no RRset, as wanted', [nxrrset('www', 'AAAA')]),
  prerequisite('no RRset at a free name', [nxrrset('nowhere', 'A')]),
  prerequisite('no RRset of a type that svc does not manage', [nxrrset('www', 'DHCID')]),
  prerequisite('an RRset that must not exist', [nxrrset('www', 'A')], 'YXRRSET'),
  prerequisite('the SOA and NS of the apex exist', [yxrrset('@', 'SOA'), yxrrset('@', 'NS')]),
  prerequisite('the NS of the apex must not exist', [nxrrset('@', 'NS')], 'YXRRSET'),
  prerequisite('an RRset with all its data, in any order', [
    equal('www', 'A', '192.0.2.2'),
    equal('www', 'A', '192.0.2.1'),
  ]),
  prerequisite('an RRset with less data', [equal('www', 'A', '192.0.2.1')], 'NXRRSET'),
  prerequisite(
    'an RRset with more data',
    [equal('www', 'A', '192.0.2.1'), equal('www', 'A', '192.0.2.2'), equal('www', 'A', '192.0.2.3')],
    'NXRRSET',
  ),
  prerequisite('an RRset with other data', [equal('www', 'TXT', 'bye')], 'NXRRSET'),
  prerequisite('an RRset with data that does not exist', [equal('www', 'AAAA', '2001:db8::1')], 'NXRRSET'),
  prerequisite('two RRsets', [equal('www', 'TXT', 'hello'), equal('alias', 'CNAME', 'www.example.net')]),
  prerequisite('a name in the data in other letter case', [equal('alias', 'CNAME', 'WWW.example.NET')]),
  prerequisite('data with a priority', [equal('@', 'MX', { preference: 10, exchange: 'mail.example.net' })]),
  prerequisite(
    'data with another priority',
    [equal('@', 'MX', { preference: 20, exchange: 'mail.example.net' })],
    'NXRRSET',
  ),
  prerequisite('the NS of the apex with their data', [
    equal('@', 'NS', 'ns1.svc.example'),
    equal('@', 'NS', 'ns2.svc.example'),
  ]),
  prerequisite('one NS of two', [equal('@', 'NS', 'ns1.svc.example')], 'NXRRSET'),
  prerequisite('the SOA with its serial', [equal('@', 'SOA', soa(serialBefore))]),
  prerequisite('the SOA with another serial', [equal('@', 'SOA', soa(serialBefore + 1))], 'NXRRSET'),
  prerequisite('the SOA with other timers', [equal('@', 'SOA', soa(serialBefore, { retry: 1 }))], 'NXRRSET'),
  prerequisite('several that hold', [
    yxdomain('www'),
    nxdomain('nowhere'),
    yxrrset('www', 'TXT'),
    nxrrset('www', 'MX'),
  ]),
  prerequisite('the first that does not hold decides', [nxdomain('www'), yxdomain('nowhere')], 'YXDOMAIN'),
  prerequisite('data are compared last', [equal('www', 'TXT', 'bye'), nxdomain('www')], 'YXDOMAIN'),
  prerequisite('a ttl', [record('www', 'ANY', 'A', 1)], 'FORMERR'),
  prerequisite('a ttl of data', [record('www', 'IN', 'A', 1, Buffer.of(192, 0, 2, 1))], 'FORMERR'),
  prerequisite(
    'a ttl behind a condition that does not hold',
    [yxdomain('nowhere'), record('www', 'ANY', 'A', 1)],
    'NXDOMAIN',
  ),
  prerequisite('a name outside of the zone', [yxdomain('www.example.net.')], 'NOTZONE'),
  prerequisite('a name that only ends like the zone', [yxdomain('www.xzone.example.')], 'NOTZONE'),
  prerequisite('data in a question about an RRset', [record('www', 'ANY', 'A', 0, Buffer.of(192, 0, 2, 1))], 'FORMERR'),
  prerequisite(
    'data in a question about no RRset',
    [record('www', 'NONE', 'A', 0, Buffer.of(192, 0, 2, 1))],
    'FORMERR',
  ),
  prerequisite('another class', [record('www', 'CH', 'A')], 'FORMERR'),
]

const update = (
  title: string,
  then: readonly WireRecord[],
  effect: readonly string[] = [],
  rcode = 'NOERROR',
  knot?: UpdateCase['knot'],
): UpdateCase => ({ title, then, effect, rcode, ...(knot === undefined ? {} : { knot }) })

export const changeCases: readonly UpdateCase[] = [
  update('adds a record at a new name', [added], addedEffect),
  update('adds a record to an RRset', [add('www', 300, 'A', '192.0.2.9')], ['+www A 192.0.2.9 300']),
  update('changes nothing if the record exists', [add('www', 300, 'A', '192.0.2.1')]),
  update(
    'gives the whole RRset the new ttl',
    [add('www', 60, 'A', '192.0.2.1')],
    [...['-www A 192.0.2.1 300', '-www A 192.0.2.2 300', '+www A 192.0.2.1 60', '+www A 192.0.2.2 60']],
    'NOERROR',
    { why: 'Knot keeps the ttl of an RRset that has the record, against RFC 2136, section 3.4.2.2', effect: [] },
  ),
  update('deletes an RRset', [removeRRset('www', 'A')], ['-www A 192.0.2.1 300', '-www A 192.0.2.2 300']),
  update(
    'deletes all RRsets of a name',
    [removeName('www')],
    [...['-www A 192.0.2.1 300', '-www A 192.0.2.2 300', '-www TXT hello 600']],
  ),
  update('deletes a record', [remove('www', 'A', '192.0.2.2')], ['-www A 192.0.2.2 300']),
  update(
    'deletes a record whose data has another letter case',
    [remove('alias', 'CNAME', 'WWW.Example.net')],
    ['-alias CNAME www.example.net 300'],
  ),
  update('deletes a text by its strings', [remove('www', 'TXT', ['hello'])], ['-www TXT hello 600']),
  update('changes nothing for records that do not exist', [
    remove('www', 'A', '192.0.2.77'),
    removeRRset('www', 'AAAA'),
    removeName('nowhere'),
    removeRRset('www', 'DHCID'),
  ]),
  update(
    'applies changes in their order',
    [removeRRset('www', 'A'), add('www', 300, 'A', '192.0.2.9')],
    [...['-www A 192.0.2.1 300', '-www A 192.0.2.2 300', '+www A 192.0.2.9 300']],
  ),
  update('changes nothing if it deletes an RRset and adds it again', [
    removeRRset('www', 'A'),
    add('www', 300, 'A', '192.0.2.2'),
    add('www', 300, 'A', '192.0.2.1'),
  ]),
  update('adds nothing that it deletes later', [added, removeName('new')]),
  update(
    'replaces a CNAME by another one',
    [add('alias', 60, 'CNAME', 'other.example.net')],
    ['-alias CNAME www.example.net 300', '+alias CNAME other.example.net 60'],
  ),
  update('changes nothing if it replaces a CNAME, and replaces it back', [
    add('alias', 60, 'CNAME', 'other.example.net'),
    add('alias', 300, 'CNAME', 'www.example.net'),
  ]),
  update(
    'replaces addresses by an alias',
    [removeName('www'), add('www', 300, 'CNAME', 'a.example.net')],
    [...['-www A 192.0.2.1 300', '-www A 192.0.2.2 300', '-www TXT hello 600', '+www CNAME a.example.net 300']],
  ),
  update('refuses an alias beside other records', [added, add('www', 300, 'CNAME', 'a.example.net')], [], 'REFUSED', {
    why: 'RFC 2136, section 3.4.2.2, ignores the alias and applies the rest',
    rcode: 'NOERROR',
    effect: addedEffect,
  }),
  update('refuses other records beside an alias', [added, add('alias', 300, 'A', '192.0.2.9')], [], 'REFUSED', {
    why: 'RFC 2136, section 3.4.2.2, ignores the address and applies the rest',
    rcode: 'NOERROR',
    effect: addedEffect,
  }),
  update(
    'leaves the SOA and NS of the apex when it deletes all there',
    [removeName('@')],
    ['-@ MX 10 mail.example.net 300'],
  ),
  update('ignores the deletion of the SOA', [removeRRset('@', 'SOA'), added], addedEffect),
  update('ignores the deletion of the NS of the apex', [removeRRset('@', 'NS'), added], addedEffect),
  update('ignores an SOA that is not newer', [add('@', 3600, 'SOA', soa(serialBefore - 1)), added], addedEffect),
  update('refuses a newer SOA', [add('@', 3600, 'SOA', soa(serialBefore + 10)), added], [], 'REFUSED', {
    why: 'svc sets the SOA',
    rcode: 'NOERROR',
    effect: 'unknown',
  }),
  update('changes nothing if it adds an NS of the apex that exists', [add('@', 3600, 'NS', 'ns1.svc.example')]),
  update('refuses another NS of the apex', [add('@', 3600, 'NS', 'ns3.example.net')], [], 'REFUSED', {
    why: 'svc sets the NS of the apex',
    rcode: 'NOERROR',
    effect: 'unknown',
  }),
  update('refuses the deletion of one NS of the apex', [remove('@', 'NS', 'ns1.svc.example')], [], 'REFUSED', {
    why: 'svc sets the NS of the apex',
    rcode: 'NOERROR',
    effect: 'unknown',
  }),
  update(
    'refuses a type that svc does not manage',
    [record('www', 'IN', 'TYPE65400', 300, Buffer.of(1))],
    [],
    'REFUSED',
    { why: 'Knot serves all types', rcode: 'NOERROR', effect: 'unknown' },
  ),
  update('refuses a ttl below the minimum', [add('new', 1, 'A', '192.0.2.9')], [], 'REFUSED', {
    why: 'Knot has no minimum',
    rcode: 'NOERROR',
    effect: 'unknown',
  }),
  update('refuses a name that svc does not serve', [add('with space', 300, 'A', '192.0.2.9')], [], 'REFUSED', {
    why: 'Knot serves all names',
    rcode: 'NOERROR',
    effect: 'unknown',
  }),
  update(
    'stores no DHCID, and the records beside it',
    [record('new', 'IN', 'DHCID', 300, Buffer.alloc(35, 1)), added],
    addedEffect,
    'NOERROR',
    { why: 'Knot stores it', effect: 'unknown' },
  ),
  update('refuses a text that is not UTF-8', [record('new', 'IN', 'TXT', 300, Buffer.of(1, 0xff))], [], 'REFUSED', {
    why: 'Knot serves any octets',
    rcode: 'NOERROR',
    effect: 'unknown',
  }),
  update(
    'changes nothing if it deletes such a text, a type that svc does not manage, or an NS that the apex does not have',
    [
      record('www', 'NONE', 'TXT', 0, Buffer.of(1, 0xff)),
      record('www', 'NONE', 'TYPE65400', 0, Buffer.of(1)),
      remove('@', 'NS', 'ns3.example.net'),
    ],
  ),
  update('a name outside of the zone', [added, add('www.example.net.', 300, 'A', '192.0.2.9')], [], 'NOTZONE'),
  update('a name outside of the zone in a deletion', [removeName('www.example.net.')], [], 'NOTZONE'),
  update('a ttl in a deletion of an RRset', [record('www', 'ANY', 'A', 1)], [], 'FORMERR', {
    why: 'Knot does not check it',
    rcode: 'NOERROR',
    effect: 'unknown',
  }),
  update('a ttl in a deletion of a record', [record('www', 'NONE', 'A', 1, Buffer.of(192, 0, 2, 1))], [], 'FORMERR'),
  update('data in a deletion of an RRset', [record('www', 'ANY', 'A', 0, Buffer.of(192, 0, 2, 1))], [], 'FORMERR'),
  update('an addition of type ANY', [record('www', 'IN', 'ANY', 300, Buffer.of(1))], [], 'FORMERR'),
  update('an addition of type AXFR', [record('www', 'IN', 'AXFR', 300, Buffer.of(1))], [], 'FORMERR'),
  update('a deletion of type MAILB', [record('www', 'ANY', 'MAILB')], [], 'FORMERR', {
    why: 'Knot does not check it',
    rcode: 'NOERROR',
    effect: 'unknown',
  }),
  update('a deletion of one record of type ANY', [record('www', 'NONE', 'ANY', 0, Buffer.of(1))], [], 'FORMERR'),
  update('another class', [record('www', 'CH', 'A', 300, Buffer.of(192, 0, 2, 1))], [], 'FORMERR'),
  update('an address of three octets', [record('www', 'IN', 'A', 300, Buffer.of(192, 0, 2))], [], 'FORMERR'),
  update(
    'an error of form comes before a refusal',
    [add('@', 300, 'NS', 'ns3.example.net'), record('www', 'CH', 'A', 300)],
    [],
    'FORMERR',
  ),
  {
    title: 'a prerequisite comes before an error in the changes',
    when: [yxdomain('nowhere')],
    then: [record('www', 'CH', 'A', 300)],
    rcode: 'NXDOMAIN',
  },
  { title: 'no change at all', rcode: 'NOERROR' },
]
