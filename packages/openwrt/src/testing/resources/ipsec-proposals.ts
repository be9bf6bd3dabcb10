import { oneOf } from "../validators.ts";
import type { ResourceDefinition } from "./definition.ts";
import { listOf } from "./sections.ts";

const keyLengths = ["128", "192", "256"];
const tagLengths = ["8", "12", "16", "64", "96", "128"];

function variants(cipher: string, modes: readonly string[]): string[] {
  return keyLengths.flatMap((bits) => [
    `${cipher}${bits}ctr`,
    ...modes.flatMap((mode) => tagLengths.map((tag) => `${cipher}${bits}${mode}${tag}`)),
  ]);
}

const ciphers = [
  ..."3des cast128 blowfish blowfish128 blowfish192 blowfish256 null aes aes128 aes192 aes256".split(" "),
  ..."camellia camellia128 camellia192 camellia256 chacha20poly1305".split(" "),
  ...variants("aes", ["ccm", "gcm"]),
  ...variants("camellia", ["ccm"]),
];
const hashes = "md5 sha sha1 aesxcbc sha256 sha2_256 sha384 sha2_384 sha512 sha2_512 sha256_96 sha2_256_96".split(" ");
const groups = [
  ..."modp768 modp1024 modp1536 modp2048 modp3072 modp4096 modp6144 modp8192 modp1024s160 modp2048s224".split(" "),
  ..."modp2048s256 ecp192 ecp224 ecp256 ecp384 ecp521 ecp224bp ecp256bp ecp384bp ecp512bp".split(" "),
  ..."curve25519 x25519 curve448 x448".split(" "),
];

/** Sets of algorithms that tunnels may use. */
export const ipsecProposals: ResourceDefinition = {
  module: "ipsec",
  collection: "proposals",
  type: "proposal",
  config: "ipsec",
  sectionType: "proposal",
  named: true,
  fields: [
    { name: "name", mandatory: true },
    { name: "encryption_algorithm", check: oneOf(...ciphers), text: "invalid encryption_algorithm" },
    { name: "hash_algorithm", check: oneOf(...hashes), text: "invalid hash_algorithm" },
    { name: "dh_group", check: oneOf(...groups), text: "invalid dh_group" },
  ],
  isUsed: (name, { uci }) =>
    ["remote", "tunnel", "transport"].some((type) =>
      uci.sections("ipsec", type).some(({ options }) => listOf(options.get("crypto_proposal")).includes(name)),
    ),
};
