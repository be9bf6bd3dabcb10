import { systemRandom } from "@kubewright/clock";

/** Encodes DER data as a PEM block. */
export function pemBlock(type: string, der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${type}-----\n${lines.join("\n")}\n-----END ${type}-----\n`;
}

export const pemCertificate = (der: Buffer): string => pemBlock("CERTIFICATE", der);

/** Returns the certificate blocks in a PEM string, in order. Other text is ignored. */
export const certificateBlocks = (pem: string): string[] =>
  (pem.match(/-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g) ?? []).map(
    (block) => `${block}\n`,
  );

/** Returns a new serial number: the bytes of a random positive number. */
export function serialNumber(): Buffer {
  const bytes = systemRandom.bytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x01;
  return bytes;
}

/** A block in a PEM string. */
export interface PemBlock {
  /** Type of the content, such as `CERTIFICATE`. */
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly der: Buffer;
}

/**
 * Returns all blocks in a PEM string, in order. Other text, and blocks that are not complete, are ignored. @see Go's
 * encoding/pem Decode
 */
export function pemBlocks(pem: string): PemBlock[] {
  const blocks: PemBlock[] = [];
  let type: string | undefined;
  let lines: string[] = [];
  for (const line of pem.split(/\r?\n/)) {
    const [, begun] = /^-----BEGIN (.*)-----\s*$/.exec(line) ?? [];
    if (begun !== undefined) [type, lines] = [begun, []];
    else if (type !== undefined && line.trimEnd() === `-----END ${type}-----`) {
      const headers = lines.filter((each) => each.includes(":")).length;
      const body = lines.slice(headers).join("").replaceAll(/\s/g, "");
      if (/^[A-Za-z0-9+/]*={0,2}$/.test(body))
        blocks.push({ type, hasHeaders: headers > 0, der: Buffer.from(body, "base64") });
      type = undefined;
    } else lines.push(line);
  }
  return blocks;
}
