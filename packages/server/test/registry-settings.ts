import type { Config } from '../src/config/config.js'
import type { Row } from './dns-settings.js'

const rdapUrl = ({ registries }: Config) => registries.rdapUrl
const whois = ({ registries }: Config) => registries.whois

const notUrl = 'must be an http or https URL without user and password'
const noQuery = 'must be an http or https URL without a query, such as https://rdap.example.com/'
const notServer = 'must be a host and a port, such as whois.example.com:43'

/** The settings of registries: accepted values with what they mean, and rejected ones with the reason. */
export const registryRows: readonly Row[] = [
  {
    env: 'SVC_RDAP_URL',
    good: [
      ['http://10.0.0.5:8080', rdapUrl, 'http://10.0.0.5:8080/'],
      ['https://rdap.example.com/v1', rdapUrl, 'https://rdap.example.com/v1/'],
    ],
    bad: [
      ['ftp://rdap.example.com', `is "ftp://rdap.example.com" but ${notUrl}.`],
      ['https://rdap.example.com/?key=1', `is "https://rdap.example.com/?***" but ${noQuery}.`],
    ],
  },
  {
    env: 'SVC_WHOIS',
    good: [
      ['WHOIS.example.com:43', whois, 'whois.example.com:43'],
      ['10.0.0.5:4343', whois, '10.0.0.5:4343'],
      ['[::1]:43', whois, '[::1]:43'],
    ],
    bad: [
      'whois.example.com',
      'whois.example.com:0',
      'whois.example.com:65536',
      '::1:43',
      '[10.0.0.5]:43',
      'a b:43',
    ].map((text) => [text, `is "${text}" but ${notServer}.`] as const),
  },
]
