// The documents of the container image. Docker's format, because OCI has no health check: podman would drop it.
import { description, epoch, license, version } from './release.js'
import { command, home } from './stage.js'

const docker = 'application/vnd.docker'
export const layerType = `${docker}.image.rootfs.diff.tar.gzip`
const reference = `svc:${version}`
const second = 1e9

const created = new Date(epoch * 1000).toISOString()

const runtime = {
  User: '1000:1000',
  WorkingDir: '/data',
  Env: ['PATH=/usr/bin', 'NODE_ENV=production', 'SVC_DATA=/data', 'SVC_HOST=0.0.0.0', 'SVC_DNS_HOST=0.0.0.0'],
  Entrypoint: command,
  Cmd: ['serve'],
  Volumes: { '/data': {} },
  ExposedPorts: { '5300/tcp': {}, '5300/udp': {}, '8080/tcp': {} },
  StopSignal: 'SIGTERM',
  Healthcheck: {
    Test: ['CMD', `/${home}/bin/node`, `/${home}/healthcheck.js`],
    ...{ Interval: 30 * second, Timeout: 5 * second, StartPeriod: 10 * second, Retries: 3 },
  },
  Labels: {
    'org.opencontainers.image.title': 'svc',
    'org.opencontainers.image.description': description,
    'org.opencontainers.image.licenses': license,
    'org.opencontainers.image.version': version,
  },
}

/** The configuration of the image. */
export const imageConfig = {
  mediaType: `${docker}.container.image.v1+json`,
  of: (layers) =>
    Buffer.from(
      JSON.stringify({
        ...{ architecture: 'amd64', os: 'linux', created, config: runtime },
        rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
        history: ['Node.js', 'svc'].map((created_by) => ({ created, created_by })),
      }),
    ),
}

const pathOf = ({ digest }) => `blobs/${digest.replace(':', '/')}`

/** The manifest of the image, and the two lists that lead to it: of OCI, and of older versions of Docker. */
export function imageManifest(config, layers) {
  const mediaType = `${docker}.distribution.manifest.v2+json`
  const descriptors = layers.map(({ mediaType, digest, size }) => ({ mediaType, digest, size }))
  const annotations = {
    'io.containerd.image.name': `docker.io/library/${reference}`,
    'org.opencontainers.image.ref.name': reference,
  }
  const platform = { architecture: 'amd64', os: 'linux' }
  return {
    mediaType,
    content: Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType, config, layers: descriptors })),
    index: (manifest) => JSON.stringify({ schemaVersion: 2, manifests: [{ ...manifest, platform, annotations }] }),
    dockerIndex: JSON.stringify([{ Config: pathOf(config), RepoTags: [reference], Layers: layers.map(pathOf) }]),
  }
}
