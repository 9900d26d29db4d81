import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { ZipFile } from '/work/wt/sites-deploy/node_modules/yazl/index.js'
import { siteStorage } from '/work/wt/sites-deploy/packages/server/test/site-storage.js'
import { check } from '/work/wt/sites-deploy/packages/server/test/archives.js'
const storage = await siteStorage('sqlite')
const words = Array.from({ length: 4_000 }, () => randomBytes(3 + Math.floor(Math.random() * 4)).toString('base64url'))
const text = (size: number) => {
  let h = ''
  while (h.length < size)
    h += `<p class="${words[Math.floor(Math.random() ** 3 * 20)]}">${words[Math.floor(Math.random() ** 3 * words.length)]}</p>\n`
  return Buffer.from(h)
}
const z = new ZipFile()
for (let i = 0; i < 5000; i++) {
  const size = 10000 * (0.2 + 1.6 * Math.random())
  z.addBuffer(i % 2 ? text(size) : randomBytes(size), i % 2 ? `p/${i}.html` : `i/${i}.png`)
}
z.end()
const zip = (await buffer(z.outputStream as never)) as Buffer
console.log('zip', zip.length)
let t = performance.now()
let c = process.cpuUsage()
await check(zip, { bytesMax: 1e9, filesMax: 20000 })
console.log('check', performance.now() - t, process.cpuUsage(c))
t = performance.now()
c = process.cpuUsage()
await storage.deployZip(storage.deployer(), storage.people[0]!, 'x', zip)
console.log('deploy', performance.now() - t, process.cpuUsage(c))
t = performance.now()
c = process.cpuUsage()
await storage.deployZip(storage.deployer(), storage.people[0]!, 'x', zip)
console.log('redeploy', performance.now() - t, process.cpuUsage(c))
await storage.stop()
