import { describe, expect, it } from 'vitest'
import { pathsOf, refusalOf, skippedOf } from '../../../../test/archives.js'
import { unicodePath } from '../../../../test/built-zip.js'

const home = { name: 'index.html', data: 'Home' }

describe('names that are refused', () => {
  const control = 'has a control character or an invisible format character in its name'
  it.each([
    ['', 'has no name'],
    ['..', 'has . or .. in its path'],
    ['../a', 'has . or .. in its path'],
    ['a/../b', 'has . or .. in its path'],
    ['a/..', 'has . or .. in its path'],
    ['../../../../etc/passwd', 'has . or .. in its path'],
    ['a/b/../../../c', 'has . or .. in its path'],
    ['.', 'has . or .. in its path'],
    ['./a', 'has . or .. in its path'],
    ['a/./b', 'has . or .. in its path'],
    ['a/.', 'has . or .. in its path'],
    ['../', 'has . or .. in its path'],
    ['/', 'has an absolute path'],
    ['/a', 'has an absolute path'],
    ['/etc/passwd', 'has an absolute path'],
    ['//server/share', 'has an absolute path'],
    ['C:/a', 'has an absolute path'],
    ['c:a', 'has an absolute path'],
    ['z:', 'has an absolute path'],
    ['a\\b', 'has a backslash in its name'],
    ['..\\a', 'has a backslash in its name'],
    ['\\a', 'has a backslash in its name'],
    ['C:\\a', 'has a backslash in its name'],
    ['\\\\server\\share', 'has a backslash in its name'],
    ['a//b', 'has an empty segment in its path'],
    ['a//', 'has an empty segment in its path'],
    ['a///b', 'has an empty segment in its path'],
    ['a\0b', control],
    ['a.html\0.txt', control],
    ['a\nb', control],
    ['a\rb', control],
    ['a\tb', control],
    ['\x1b[31m', control],
    ['a\x7f', control],
    ['a\u0085', control],
    ['a\u202egpj.html', control],
    ['a\u200b', control],
    ['\ufeffa', control],
    ['a\u2028', control],
    ['a\u2066b', control],
    ['a'.repeat(256), 'has a name of more than 255 bytes in its path'],
    ['ü'.repeat(128), 'has a name of more than 255 bytes in its path'],
    [`a/${'b'.repeat(256)}/c`, 'has a name of more than 255 bytes in its path'],
    ['aaaaaaaaa/'.repeat(30) + 'b'.repeat(800), 'has a path of more than 1024 bytes'],
    [`${'a'.repeat(200)}/`.repeat(5) + 'b'.repeat(20), 'has a path of more than 1024 bytes'],
    ['a/'.repeat(33) + 'b', 'is in more than 32 folders'],
    ['a/'.repeat(500) + 'b', 'is in more than 32 folders'],
  ])('refuses the name %j', async (name, reason) => {
    const message = await refusalOf({ name })
    expect(message).toMatch(/^archive: entry "/)
    expect(message).toContain(`" ${reason}`)
  })

  it.each([
    ['a lone continuation byte', [0x80]],
    ['Latin-1', [0x66, 0xfc, 0x72]],
    ['an overlong slash', [0x2e, 0x2e, 0xc0, 0xaf, 0x61]],
    ['an overlong dot', [0xc0, 0xae, 0xc0, 0xae, 0x2f, 0x61]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['a cut character', [0x61, 0xe2, 0x82]],
    ['beyond Unicode', [0xf4, 0x90, 0x80, 0x80]],
  ])('refuses a name that is not UTF-8: %s', async (_name, bytes) => {
    for (const flags of [0, 0x800])
      expect(await refusalOf({ name: Buffer.from(bytes), flags })).toContain('has a name that is not UTF-8')
  })

  it('refuses a path out of the folder in a Unicode Path extra field', async () => {
    expect(await refusalOf({ name: 'a', extra: unicodePath('a', '../a') })).toContain('"../a" has . or .. in its path')
  })
})

describe('names that conflict', () => {
  it.each([
    [['a', 'a'], '"a" is in the archive twice'],
    [['index.html'], '"index.html" is in the archive twice'],
    [['b/a', 'b/c', 'b/a'], '"b/a" is in the archive twice'],
    [['Index.html'], '"Index.html" is the same name as "index.html" without regard to upper and lower case'],
    [['a/B', 'A/b'], '"A/b" is the same name as "a/B" without regard to upper and lower case'],
    [['straße', 'STRASSE'], '"STRASSE" is the same name as "straße" without regard to upper and lower case'],
    [['ﬁ', 'FI'], '"FI" is the same name as "ﬁ" without regard to upper and lower case'],
    [['caf\u00e9', 'cafe\u0301'], '"café" is in the archive twice'],
    [['CAF\u00c9', 'cafe\u0301'], '"café" is the same name as "CAFÉ" without regard to upper and lower case'],
    [['\u212b', '\u00c5'], '"Å" is in the archive twice'],
    [['a', 'a/b'], '"a/b" is in the folder "a", which is also a file'],
    [['a/b', 'a'], '"a" is both a file and the folder of "a/b"'],
    [['a/b/c', 'a'], '"a" is both a file and the folder of "a/b/c"'],
    [['a/', 'a'], '"a" is both a file and the folder of "a/"'],
    [['a', 'a/'], '"a/" is in the folder "a", which is also a file'],
    [['A', 'a/b'], '"a/b" is in the folder "A", which is also a file'],
    [['index.html/x'], '"index.html/x" is in the folder "index.html", which is also a file'],
  ])('refuses the conflicting names %j', async (names, reason) => {
    expect(await refusalOf(...names.map((name) => ({ name })))).toBe(`archive: entry ${reason}.`)
  })
})

describe('names that are accepted', () => {
  it.each([
    ['a.b/c..d/e...', 'a.b/c..d/e...'],
    ['a/.Well-Known/x', 'a/.Well-Known/x'],
    ['a../b..', 'a../b..'],
    ['.well-known/security.txt', '.well-known/security.txt'],
    ['a b/c', 'a b/c'],
    ['con.txt', 'con.txt'],
    ['ab:c', 'ab:c'],
    ['a?b#c%2e', 'a?b#c%2e'],
    ['caf\u0065\u0301.html', 'caf\u00e9.html'],
    ['日本語/🎉.html', '日本語/🎉.html'],
    ['👩\u200d💻.html', '👩\u200d💻.html'],
    ['a'.repeat(255), 'a'.repeat(255)],
    ['a/'.repeat(32) + 'b', 'a/'.repeat(32) + 'b'],
  ])('accepts the name %j as %j', async (name, path) => {
    for (const flags of [0, 0x800]) expect(await pathsOf(home, { name, flags })).toEqual(['index.html', path])
  })

  it('folders are left out, also those that are named twice', async () => {
    expect(await pathsOf({ name: 'a/' }, { name: 'a/' }, home, { name: 'a/b' })).toEqual(['index.html', 'a/b'])
  })

  it.each([
    ['__MACOSX/._index.html', '__MACOSX/'],
    ['.DS_Store', '.DS_Store'],
    ['a/.DS_Store', 'a/.DS_Store'],
    ['.git/config', '.git/'],
    ['a/.GIT/hooks/x', 'a/.GIT/'],
    ['.git', '.git'],
    ['.env', '.env'],
    ['a/.htpasswd', 'a/.htpasswd'],
    ['.well-known/.env', '.well-known/.env'],
    ['.well-known2', '.well-known2'],
    ['a/...', 'a/...'],
    ['..a/b..', '..a/'],
  ])('skips %s and names %s', async (name, named) => {
    const entries = [home, { name, data: 'x' }]
    expect(await pathsOf(...entries)).toEqual(['index.html'])
    expect(await skippedOf(...entries)).toEqual([named])
  })

  it('names at most 100 of the files that are skipped', async () => {
    const hidden = Array.from({ length: 150 }, (_, n) => ({ name: `.hidden${n}` }))
    expect(await skippedOf(home, ...hidden)).toEqual(hidden.slice(0, 100).map(({ name }) => name))
  })

  it('takes the Unicode Path of a name, unless it stands for another name or is of an unknown version', async () => {
    const later = unicodePath('a', 'ü')
    later[4] = 2
    const names = [
      { name: 'a', extra: unicodePath('a', 'ü') },
      { name: 'b', extra: unicodePath('x', 'ö') },
      { name: 'c', extra: later },
    ]
    expect(await pathsOf(home, ...names)).toEqual(['index.html', 'ü', 'b', 'c'])
  })
})

describe('a top folder', () => {
  const index = { name: 'site/index.html' }
  it.each([
    ['is left out if it has an index.html', [index, { name: 'site/css/a.css' }], ['index.html', 'css/a.css']],
    ['stays without an index.html', [{ name: 'site/a.html' }], ['site/a.html']],
    ['stays beside another file', [index, { name: 'a.txt' }], ['site/index.html', 'a.txt']],
    ['stays beside another folder', [index, { name: 'b/a' }], ['site/index.html', 'b/a']],
    ['is left out beside files that are left out', [index, { name: '__MACOSX/site/._index.html' }], ['index.html']],
    ['is left out once', [{ name: 'a/b/index.html' }, { name: 'a/index.html' }], ['b/index.html', 'index.html']],
  ])('a top folder %s', async (_name, entries, paths) => {
    expect(await pathsOf(...entries)).toEqual(paths)
  })
})
