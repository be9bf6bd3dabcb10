import type { Cnf } from "../cnf.ts";

/** The certificate fields of a remote, and where their files are stored. */
const places: Readonly<Record<string, { readonly folder: string; readonly suffix: string }>> = {
  local_public_cert: { folder: "certs", suffix: "public" },
  local_private_cert: { folder: "private", suffix: "private" },
  shared_ca: { folder: "cacerts", suffix: "ca" },
};

export const certificateFields: readonly string[] = Object.keys(places);

/**
 * Writes certificates, which are base64-encoded and joined with `___`, to files. Returns the files' paths as the value
 * for the UCI option.
 */
export function writeCertificates(field: string, name: string, value: string, cnf: Cnf): string {
  const { folder, suffix } = places[field] ?? { folder: "certs", suffix: field };
  const pieces = value.split(/[_^]+/).filter(Boolean);
  const paths = pieces.map((piece, index) => {
    const path = `/etc/ipsec.d/${folder}/${name}_${suffix}_${index}.pem`;
    cnf.files.set(path.slice(1), cnf.quirks ? decodeLeniently(piece) : Buffer.from(piece, "base64").toString("latin1"));
    return path;
  });
  return paths.join(", ");
}

/**
 * Returns the certificates in an option as they were sent. The reference CNF decodes the files instead of encoding
 * them. If it does not find a file, it treats the path itself as a certificate; this happens for every path except the
 * first, because of the space before it.
 */
export function readCertificates(option: string, cnf: Cnf): string {
  if (cnf.quirks) {
    return option
      .split(",")
      .map((path) => decodeLeniently(cnf.files.get(path.slice(1)) ?? path))
      .join("\n");
  }
  const contents = option.split(", ").map((path) => cnf.files.get(path.slice(1)) ?? "");
  return contents.map((content) => Buffer.from(content, "latin1").toString("base64")).join("___");
}

/** Removes the certificate files to which an option refers. The reference CNF finds only the first file. */
export function removeCertificates(option: string, cnf: Cnf): void {
  const paths = option.split(", ");
  for (const path of cnf.quirks ? paths.slice(0, 1) : paths) cnf.files.delete(path.slice(1));
}

/**
 * Decodes base64 as the reference CNF does: in groups of four characters, and ignoring characters outside the alphabet.
 * Padding shortens only its own group, and an incomplete last group is dropped.
 */
function decodeLeniently(text: string): string {
  const fours = text.replace(/[^A-Za-z0-9+/=]/g, "").match(/.{4}/g) ?? [];
  return fours.map((four) => Buffer.from(four.replace(/=.*/, ""), "base64").toString("latin1")).join("");
}
