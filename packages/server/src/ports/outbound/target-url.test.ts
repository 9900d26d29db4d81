import { expect, it } from 'vitest'
import { reachableAddresses } from './public-networks.js'
import { targetProblem } from './target-url.js'

const problemOf = (url: string) => targetProblem(url, reachableAddresses(['10.9.0.0/16']))

it.each([
  'https://example.com/hook?key=1',
  'http://example.com',
  'https://example.com:8443/',
  'http://example.com:80/',
  'http://8.8.8.8:3000/',
  'http://[2001:4860:4860::8888]/',
  'http://10.9.0.1:8080/',
  'https://bücher.example/',
])('%s can be a target', (url) => {
  expect(problemOf(url)).toBeUndefined()
})

const notPublic = /^must not lead to a private or special address/
const notHttp = /^must be an http or https URL/

it.each<[string, RegExp]>([
  ['', notHttp],
  ['example.com', notHttp],
  ['//example.com', notHttp],
  ['ftp://example.com/', notHttp],
  ['file:///etc/passwd', notHttp],
  ['gopher://127.0.0.1:6379/_', notHttp],
  ['unix:/var/run/docker.sock', notHttp],
  ['https://ada@example.com/', /^must not contain a user or a password$/],
  ['https://:secret@example.com/', /^must not contain a user or a password$/],
  ['http://example.com:25/', /^must not use port 25; use 80, 443 or one from 1024$/],
  ['http://example.com:0/', /^must not use port 0/],
  ['http://example.com:6667/', /^must not use port 6667/],
  ['http://example.com:10080/', /^must not use port 10080/],
  ['http://127.0.0.1/', notPublic],
  ['http://0x7f.1/', notPublic],
  ['http://0177.0.0.1/', notPublic],
  ['http://2130706433/', notPublic],
  ['http://127.1/', notPublic],
  ['http://0/', notPublic],
  ['http://①②⑦.0.0.1/', notPublic],
  ['http://127.0.0.1./', notPublic],
  ['http://169.254.169.254/latest/meta-data/', notPublic],
  ['http://[::1]/', notPublic],
  ['http://[::]/', notPublic],
  ['http://[::ffff:7f00:1]/', notPublic],
  ['http://[::ffff:127.0.0.1]/', notPublic],
  ['http://[64:ff9b::7f00:1]/', notPublic],
  ['http://[fe80::1]/', notPublic],
  ['http://[2002:7f00:1::]/', notPublic],
])('%s cannot be a target', (url, problem) => {
  expect(problemOf(url)).toMatch(problem)
})
