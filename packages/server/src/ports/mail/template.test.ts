import { expect, it } from 'vitest'
import { renderMail } from './template.js'

const hostile = '<script>alert(1)</script>" onload="x & \u0007bell\u202Eback'

it('escapes every text in HTML, and leaves controls out of both forms', () => {
  const { subject, text, html } = renderMail({
    title: `${hostile}\r\nBcc: eve@example.net`,
    paragraphs: [hostile],
    facts: [[hostile, hostile]],
    action: { label: hostile, url: 'https://h/?a=1&b="x"' },
    footer: [hostile],
  })
  expect(subject).not.toMatch(/[\r\n\p{C}]/u)
  expect(html).not.toContain('<script')
  expect(html).not.toContain('" onload')
  expect(html).toContain('href="https://h/?a=1&amp;b=&quot;x&quot;"')
  for (const form of [text, html]) expect(form).not.toMatch(/[^\P{C}\n]/u)
})

it('loads nothing: no images, scripts, fonts or style sheets', () => {
  const { html } = renderMail({
    title: 'T',
    paragraphs: ['<img src=https://h/x.png>'],
    unsubscribeUrl: 'https://h/unsubscribe/k',
  })
  expect(html).not.toMatch(/<(?:img|link|script|iframe)|@import|url\(|\ssrc=['"]/)
})

it('says the same in plain text, with the addresses of its links', () => {
  const { text } = renderMail({
    title: 'A form was sent',
    paragraphs: ['One.', 'Two.'],
    facts: [['name', 'Ada']],
    action: { label: 'Open', url: 'https://h/open' },
    footer: ['Why.'],
    unsubscribeUrl: 'https://h/off',
  })
  expect(text).toBe(
    'A form was sent\n\nOne.\n\nTwo.\n\nname: Ada\n\nOpen:\nhttps://h/open\n\n--\n\nWhy.\n\nNo more e-mails of this kind:\nhttps://h/off\n',
  )
})

it('cuts long texts without breaking a character', () => {
  const { subject, html } = renderMail({ title: '😀'.repeat(200), paragraphs: ['😀'.repeat(9_000)] })
  expect(subject.length).toBeLessThanOrEqual(120)
  expect(subject.isWellFormed()).toBe(true)
  expect(html.length).toBeLessThan(10_000)
})
