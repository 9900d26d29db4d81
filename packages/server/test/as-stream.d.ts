import { Readable } from 'node:stream';
import type { Content } from '../src/ports/blobs/port.js';
/** Contents as a stream, also those in memory. */
export declare const asStream: (content: Content) => Readable;
