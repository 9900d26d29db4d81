// Writes the files of a release into dist/release/, from the built repository (scripts/release.sh).
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packDeb } from './deb.js'
import { packImage } from './image.js'
import { packNpm } from './npm.js'
import { root } from './release.js'
import { writeSbom } from './sbom.js'

const release = join(root, 'dist/release')
await rm(release, { recursive: true, force: true })
await mkdir(release, { recursive: true })

const work = await mkdtemp(join(tmpdir(), 'svc-release-'))
try {
  for (const pack of [packNpm, packDeb, packImage, writeSbom]) await pack(work, release)
} finally {
  await rm(work, { recursive: true })
}
