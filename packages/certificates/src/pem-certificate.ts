import { randomBytes } from "node:crypto";

/** Encodes DER data as a PEM block. */
export function pemBlock(type: string, der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${type}-----\n${lines.join("\n")}\n-----END ${type}-----\n`;
}

export const pemCertificate = (der: Buffer): string => pemBlock("CERTIFICATE", der);

/** Returns the certificate blocks in a PEM text, in order. Other text is ignored. */
export const certificateBlocks = (pem: string): string[] =>
  (pem.match(/-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g) ?? []).map(
    (block) => `${block}\n`,
  );

/** Returns a new serial number: the bytes of a positive random number. */
export function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x01;
  return bytes;
}
