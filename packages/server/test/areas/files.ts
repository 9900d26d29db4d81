import type { Scene } from '../walk/scene.js'
import { unusedId, type AreaParts, type SetUp } from './area-parts.js'

/** A file of the account. @returns its id */
async function file(scene: Scene, account: Scene['owner'], isShared = false): Promise<number> {
  const made = await scene.call('POST', '/v1/files/upload', {
    token: await scene.token(account, 'files:write'),
    body: { name: 'notes.txt', content: 'aGVsbG8=', shared: isShared },
  })
  return made.body['data'].id
}

/** An upload of the account whose only part is `hello`. @returns its id */
async function upload(scene: Scene, account: Scene['owner']): Promise<number> {
  const made = await scene.call('POST', '/v1/files/upload-chunk', {
    token: await scene.token(account, 'files:write'),
    body: { index: 0, content: 'aGVsbG8=' },
  })
  return made.body['data'].upload_id
}

/** @param fields beyond the id */
const onFile = (isShared: boolean, fields: object = {}): SetUp => ({
  works: async (scene) => ({ body: { ...fields, id: await file(scene, scene.owner, isShared) } }),
  foreign: async (scene) => ({ body: { ...fields, id: await file(scene, scene.stranger, isShared) } }),
  missing: { body: { ...fields, id: unusedId } },
})

const inQuery: SetUp = {
  works: async (scene) => ({ query: { id: await file(scene, scene.owner) } }),
  foreign: async (scene) => ({ query: { id: await file(scene, scene.stranger) } }),
  missing: { query: { id: unusedId } },
}

const fileRules = /^name must/

/** Bytes that are stored as an object. */
const largeContent = Buffer.alloc(300_000, 'large').toString('base64')

export const fileParts: AreaParts = {
  setUps: {
    'files.list': { rules: /^search must/ },
    'files.get': {
      works: async (scene) => ({ params: { id: await file(scene, scene.owner) } }),
      foreign: async (scene) => ({ params: { id: await file(scene, scene.stranger) } }),
      missing: { params: { id: unusedId } },
    },
    'files.traffic': {
      works: async (scene) => ({ query: { id: await file(scene, scene.owner, true), days: 2 } }),
      foreign: async (scene) => ({ query: { id: await file(scene, scene.stranger, true) } }),
      missing: { query: { id: unusedId } },
    },
    'files.download': inQuery,
    'files.preview': inQuery,
    'files.upload': { rules: /^(name must|content (.*base64|may be given only once))/ },
    'files.update': { ...onFile(false, { shared: true }), rules: fileRules },
    'files.rename': { ...onFile(false, { name: 'renamed.txt' }), rules: fileRules },
    'files.delete': onFile(true),
    'files.uploadChunk': {
      foreign: async (scene) => ({
        body: { upload_id: await upload(scene, scene.stranger), index: 0, content: 'aGVsbG8=' },
      }),
      missing: { body: { upload_id: unusedId, index: 0, content: 'aGVsbG8=' } },
      rules:
        /^(upload_id (is required|names a finished upload)|content (.*base64|may be given only once|results in)|size (is|needs|results in))/,
    },
    'files.uploadDiscard': {
      works: async (scene) => ({ body: { upload_id: await upload(scene, scene.owner) } }),
      foreign: async (scene) => ({ body: { upload_id: await upload(scene, scene.stranger) } }),
      missing: { body: { upload_id: unusedId } },
      rules: /^upload_id names a finished upload/,
    },
    'files.uploadFinalize': {
      works: async (scene) => ({ body: { upload_id: await upload(scene, scene.owner), name: 'notes.txt', parts: 1 } }),
      foreign: async (scene) => ({
        body: { upload_id: await upload(scene, scene.stranger), name: 'notes.txt', parts: 1 },
      }),
      missing: { body: { upload_id: unusedId, name: 'notes.txt', parts: 1 } },
      rules: /^(name must|parts is|The parts have|sha256 is)/,
    },

    'cdn.config': { ...onFile(true, { edge_ttl: 7200 }), rules: /^id names a file that is not shared/ },
    'cdn.purge': { ...onFile(true), rules: /^id names a file that is not shared/ },
  },
  fill: async ({ account, api, sql }) => {
    await api('POST', '/files/upload', { name: 'notes.txt', content: 'aGVsbG8=' })
    await api('POST', '/files/upload', { name: 'a.bin', content: largeContent, shared: true })
    await api('POST', '/files/upload-chunk', { index: 0, content: 'aGVsbG8=' })
    const id = String(account.id)
    await sql(
      `insert into file_traffic select id, 3, 2, 1, 1000 from file where share_key is not null and account_id = ${id}`,
    )
    await sql(`insert into file_traffic_day select file_id, 20780, 3, 2, 1, 1000
      from file_traffic where file_id in (select id from file where account_id = ${id})`)
    await sql(`insert into account_traffic_day values (${id}, 20780, 6, 4, 2, 2000)`)
  },
}
