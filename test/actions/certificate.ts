import { generateKeyPairSync, sign } from 'node:crypto';

/** A certificate and its key, both PEM, made for one test: nothing secret is kept in the repository and nothing expires. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** One DER element. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const size = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
}

const text = (tag: number, value: string): Buffer => der(tag, Buffer.from(value, 'latin1'));
const SEQUENCE = 0x30;
/** 1.2.840.10045.4.3.2: ECDSA with SHA-256. */
const ECDSA_SHA256 = der(SEQUENCE, der(0x06, Buffer.from('2a8648ce3d040302', 'hex')));
/** 2.5.4.3: common name. */
const COMMON_NAME = der(0x06, Buffer.from('550403', 'hex'));
/** 2.5.29.17: subject alternative name. */
const ALTERNATIVE_NAME = der(0x06, Buffer.from('551d11', 'hex'));

/** Makes a self-signed certificate for `localhost` and 127.0.0.1. */
export function selfSigned(): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = der(SEQUENCE, der(0x31, der(SEQUENCE, COMMON_NAME, text(0x0c, 'localhost'))));
  const validity = der(SEQUENCE, text(0x17, '200101000000Z'), text(0x17, '491231235959Z'));
  const names = der(SEQUENCE, text(0x82, 'localhost'), der(0x87, Uint8Array.of(127, 0, 0, 1)));
  const extensions = der(0xa3, der(SEQUENCE, der(SEQUENCE, ALTERNATIVE_NAME, der(0x04, names))));
  const version = der(0xa0, der(0x02, Uint8Array.of(2)));
  const serial = der(0x02, Uint8Array.of(1));
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const body = der(SEQUENCE, version, serial, ECDSA_SHA256, name, validity, name, spki, extensions);
  const signature = der(0x03, Uint8Array.of(0), sign('sha256', body, privateKey));
  const whole = der(SEQUENCE, body, ECDSA_SHA256, signature);
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
