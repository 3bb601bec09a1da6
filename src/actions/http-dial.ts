import { connect as connectTcp, isIP } from 'node:net';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls, rootCertificates } from 'node:tls';
import type { buildConnector } from 'undici';
import type { SendGate } from '../ports/action-adapter.ts';
import { createInterimFilter } from './interim-filter.ts';

/** The gate said no between the connection and the first byte. */
class GateClosedError extends Error {}

/**
 * One connection for one attempt, between the parser and the socket: it asks the gate before the first byte, counts
 * what was handed to the socket, and hides interim answers.
 */
class Wire extends Duplex {
  readonly #socket: Socket;
  readonly #gate: SendGate;
  #ended = false;
  bytesHandedOver = 0;

  constructor(socket: Socket, gate: SendGate) {
    super();
    this.#socket = socket;
    this.#gate = gate;
    const answerPart = createInterimFilter();
    socket.on('data', (chunk: Buffer) => {
      const part = answerPart(chunk);
      if (part !== null && !this.push(part)) socket.pause();
    });
    socket.on('end', () => {
      this.#ended = true;
      this.push(null);
    });
    socket.on('error', (error) => this.destroy(error));
    // After a clean end the parser may still have bytes to read: destroying would lose the answer.
    socket.on('close', () => {
      if (!this.#ended) this.destroy();
    });
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.bytesHandedOver === 0 && !this.#gate()) {
      done(new GateClosedError('the gate is closed'));
      return;
    }
    // Counted before the hand-over: a byte that may have left counts as one that has.
    this.bytesHandedOver += chunk.length;
    this.#socket.write(chunk, done);
  }

  override _writev(chunks: readonly { readonly chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this._write(Buffer.concat(chunks.map((piece) => piece.chunk)), 'binary', done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}

/** How far an attempt's connection came. */
export type DialStage = 'connecting' | 'connected';

/** An attempt's own connector: it connects once and knows what was written. */
export interface Dial {
  readonly connect: buildConnector.connector;
  /** Bytes of the request handed to the socket; 0 = certainly none has left. */
  bytesWritten(): number;
  stage(): DialStage;
  /** Ends the connection at whatever stage it is. */
  destroy(): void;
}

/** What a dial is made of. */
export interface DialOptions {
  /** Asked once, immediately before the first byte of the request is handed to the socket. */
  readonly gate: SendGate;
  /** Certificates of private authorities (PEM), beside Node's own; null: those of Node and NODE_EXTRA_CA_CERTS. */
  readonly ca: readonly string[] | null;
}

/**
 * How long one address of a host is tried before the next one; Node's 250 ms are shorter than a handshake across the
 * world. The time-out of the call bounds the whole.
 */
const ADDRESS_MS_MAX = 2_000;

/** Opens the socket of a target; the event that says it may be written to. */
function openSocket(target: buildConnector.Options, ca: DialOptions['ca']): { socket: Socket; ready: string } {
  const secure = target.protocol === 'https:';
  const host = target.hostname;
  const port = target.port === '' ? (secure ? 443 : 80) : Number(target.port);
  const common = { host, port, autoSelectFamilyAttemptTimeout: ADDRESS_MS_MAX };
  if (!secure) return { socket: connectTcp({ ...common, noDelay: true }), ready: 'connect' };
  const name = isIP(host) === 0 ? { servername: host } : {};
  const authorities = ca === null ? {} : { ca: [...rootCertificates, ...ca] };
  return {
    socket: connectTls({ ...common, ALPNProtocols: ['http/1.1'], ...name, ...authorities }),
    ready: 'secureConnect',
  };
}

/**
 * A connector for one attempt. undici connects again by itself when a connection is lost before the request was
 * written; here the second connection is refused, so that one attempt is one request on the wire at most.
 */
export function createDial({ gate, ca }: DialOptions): Dial {
  let socket: Socket | null = null;
  let wire: Wire | null = null;
  return {
    connect: (target, callback) => {
      if (socket !== null) {
        callback(new Error('one attempt connects once'), null);
        return;
      }
      const opening = openSocket(target, ca);
      const opened = opening.socket;
      socket = opened;
      const fail = (error: Error): void => callback(error, null);
      opened.once('error', fail);
      opened.once(opening.ready, () => {
        opened.off('error', fail);
        wire = new Wire(opened, gate);
        // undici takes any Duplex; its type names the commonest one.
        callback(null, wire as unknown as Socket);
      });
    },
    bytesWritten: () => wire?.bytesHandedOver ?? 0,
    stage: () => (wire === null ? 'connecting' : 'connected'),
    destroy: () => {
      // A connecting socket that is destroyed may still report an error to nobody.
      socket?.on('error', () => undefined);
      wire?.on('error', () => undefined);
      wire?.destroy();
      socket?.destroy();
    },
  };
}
