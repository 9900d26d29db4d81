import { expect, it } from 'vitest'
import { isPerson } from './is-person.js'

it.each([
  undefined,
  '',
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:127.0) Gecko/20100101 Firefox/127.0',
])('the User-Agent %s is that of a person', (userAgent) => {
  expect(isPerson(userAgent)).toBe(true)
  expect(isPerson(userAgent)).toBe(true)
})

it.each([
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
  'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  'Twitterbot/1.0',
  'WhatsApp/2.23.20.0',
  'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
  'curl/8.5.0',
  'Wget/1.21.4',
  'python-requests/2.32.0',
])('the User-Agent %s is not that of a person', (userAgent) => {
  expect(isPerson(userAgent)).toBe(false)
  expect(isPerson(userAgent)).toBe(false)
})

it.each(['1.', 'a ', ' ', 'a1/', '(', 'x/1.1', '.1', 'bot', 'google', '\\w', 'news', 'a.'])(
  'a long User-Agent of "%s" takes no more time than a short one',
  (piece) => {
    const startedAt = process.cpuUsage()
    for (const end of ['', '!', ',', ';', '\u00ff']) isPerson(piece.repeat(16_000) + end)
    expect(process.cpuUsage(startedAt).user / 1000).toBeLessThan(500)
  },
)
