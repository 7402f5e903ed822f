import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { isIPv4 } from "node:net";
import { bits, der, identifier, integer, numbered, octets, sequence, set, time, utf8, yes } from "./der.ts";

export interface SelfSignedOptions {
  /** Names and IPv4 addresses that the certificate is for. */
  readonly names?: readonly string[];
  readonly now?: () => number;
  readonly days?: number;
}

/** A certificate and its key, in PEM. Who trusts the certificate trusts the server that has the key. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

const ECDSA_WITH_SHA256 = "1.2.840.10045.4.3.2";
const COMMON_NAME = "2.5.4.3";
const BASIC_CONSTRAINTS = "2.5.29.19";
const SUBJECT_ALT_NAME = "2.5.29.17";
const DAY_MS = 24 * 3_600_000;

/** Makes a certificate that signs itself, for a server that only its tests trust. */
export function createSelfSigned(options: SelfSignedOptions = {}): Certificate {
  const { names = ["localhost", "127.0.0.1"], now = Date.now, days = 30 } = options;
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const algorithm = sequence(identifier(ECDSA_WITH_SHA256));
  const subject = sequence(set(sequence(identifier(COMMON_NAME), utf8(names[0] ?? "localhost"))));
  const content = sequence(
    numbered(0, integer(Buffer.from([2]))),
    integer(randomBytes(16)),
    algorithm,
    subject,
    sequence(time(new Date(now() - DAY_MS)), time(new Date(now() + days * DAY_MS))),
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    numbered(3, sequence(constraints(), altNames(names))),
  );
  const signature = sign("sha256", content, privateKey);
  return {
    cert: toPem("CERTIFICATE", sequence(content, algorithm, bits(signature))),
    key: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
  };
}

/** It is its own authority. */
function constraints(): Buffer {
  return sequence(identifier(BASIC_CONSTRAINTS), yes(), octets(sequence(yes())));
}

function altNames(names: readonly string[]): Buffer {
  const parts = names.map((name) =>
    isIPv4(name) ? der(0x87, Buffer.from(name.split(".").map(Number))) : der(0x82, Buffer.from(name, "latin1")),
  );
  return sequence(identifier(SUBJECT_ALT_NAME), octets(sequence(...parts)));
}

function toPem(label: string, bytes: Buffer): string {
  const lines = bytes.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}
