import { oneOf } from "../values.ts";

const keySizes = [128, 192, 256];
const tagSizes = [8, 12, 16, 64, 96, 128];
const withTags = (mode: string): string[] => keySizes.flatMap((bits) => tagSizes.map((tag) => `${bits}${mode}${tag}`));

export const encryptionAlgorithm = oneOf(
  "3des",
  "cast128",
  "blowfish",
  "blowfish128",
  "blowfish192",
  "blowfish256",
  "null",
  "aes",
  "aes128",
  "aes192",
  "aes256",
  "camellia",
  "camellia128",
  "camellia192",
  "camellia256",
  "chacha20poly1305",
  ...keySizes.flatMap((bits) => [`aes${bits}ctr`, `camellia${bits}ctr`]),
  ...withTags("ccm").flatMap((suffix) => [`aes${suffix}`, `camellia${suffix}`]),
  ...withTags("gcm").map((suffix) => `aes${suffix}`),
);

export const hashAlgorithm = oneOf(
  "md5",
  "sha",
  "sha1",
  "aesxcbc",
  "sha256",
  "sha2_256",
  "sha384",
  "sha2_384",
  "sha512",
  "sha2_512",
  "sha256_96",
  "sha2_256_96",
);

export const diffieHellmanGroup = oneOf(
  "modp768",
  "modp1024",
  "modp1536",
  "modp2048",
  "modp3072",
  "modp4096",
  "modp6144",
  "modp8192",
  "modp1024s160",
  "modp2048s224",
  "modp2048s256",
  "ecp192",
  "ecp224",
  "ecp256",
  "ecp384",
  "ecp521",
  "ecp224bp",
  "ecp256bp",
  "ecp384bp",
  "ecp512bp",
  "curve25519",
  "x25519",
  "curve448",
  "x448",
);
