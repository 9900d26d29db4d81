import { describeValues } from '../../../../test/dns-values.js'

const not = (value: string) =>
  [
    value,
    'value must be usage, selector, matching type and data, such as "3 1 1 d2abde240d7cd3ee", ' +
      `not ${JSON.stringify(value)}.`,
  ] as const

describeValues('TLSA', {
  kept: [
    '3 1 1 d2abde240d7cd3ee6b4b28c54df034b97983a1d16e8a410e4561cb106618e971',
    '3 1 1 d2abde240d7cd3ee',
    '0 0 0 00',
    '0 0 1 ff',
    '1 0 2 abcdef',
    '2 1 0 30820122',
    '3 0 1 0123456789abcdef',
    '255 255 255 ff',
    '3 1 2 00ff00ff',
    `3 0 0 ${'ab'.repeat(2000)}`,
  ],
  read: [
    ['3  1 01 D2AB DE24 0D7C D3EE', '3 1 1 d2abde240d7cd3ee'],
    ['3 1 1 D2ABDE240D7CD3EE', '3 1 1 d2abde240d7cd3ee'],
    ['3 1 1 d2ab de24', '3 1 1 d2abde24'],
    [' 3 1 1 d2ab ', '3 1 1 d2ab'],
    ['3\t1\t1\td2ab', '3 1 1 d2ab'],
    ['03 1 1 d2ab', '3 1 1 d2ab'],
    ['3 001 1 d2ab', '3 1 1 d2ab'],
    ['3 1 1 d 2 a b', '3 1 1 d2ab'],
    ['000 000 000 00', '0 0 0 00'],
    ['255 255 255 FF', '255 255 255 ff'],
    ['3 1 1\nd2ab', '3 1 1 d2ab'],
  ],
  refused: [
    ['', 'value must not be empty.'],
    not('3 1 nope'),
    not('3 1 1'),
    not('3 1 1 nothex'),
    not('3 1 1 abc'),
    not('256 1 1 ab'),
    not('3 256 1 ab'),
    not('3 1 1000 ab'),
    not('-3 1 1 ab'),
    not('d2abde240d7cd3ee'),
    not('a b c d2ab'),
    not('3 1 1 "ab"'),
  ],
})
