/** Words that name what nobody may read, anywhere in a name. */
const secretWords = new Set([
  ...["authorization", "bearer", "cookie", "credential", "dsn", "jwt", "kubeconfig", "otp", "pass", "passcode"],
  ...["passphrase", "passwd", "password", "pin", "psk", "pwd", "secret", "token"],
]);

/** Names that are written in one go contain some, `mypasswordhash`, or end in one, `apitoken` and `dbpass`; `bypass` does not. */
const inOneGo =
  /authorization|credential|kubeconfig|passphrase|passwd|password|secret|(token|psk|pwd)$|(?<!by|com|over|tres|under|sur)pass$/;

/** A key or a certificate of one of these kinds is secret; a public one, and what only names an entry, are not. */
const keyWords = new Set([
  ...["access", "account", "admin", "aes", "api", "auth", "cipher", "client", "consumer", "crypto", "decryption"],
  ...["deploy", "encryption", "hmac", "host", "identity", "ipsec", "license", "mac", "master", "preshared", "priv"],
  ...["private", "root", "rsa", "sas", "server", "session", "shared", "signing", "ssh", "ssl", "storage", "tls"],
  ...["webhook", "wg", "wireguard"],
]);

/** Last words of names that say something about a secret, such as where it is, and are not one. */
const aboutWords = new Set([
  ...["algorithm", "audience", "audiences", "class", "count", "dir", "directory", "enabled", "endpoint", "expiration"],
  ...[
    "expiry",
    "file",
    "filename",
    "format",
    "generation",
    "id",
    "ids",
    "interval",
    "issuer",
    "kind",
    "length",
    "method",
  ],
  ...[
    "mode",
    "mount",
    "name",
    "names",
    "namespace",
    "namespaces",
    "path",
    "paths",
    "period",
    "policy",
    "provider",
    "ref",
  ],
  ...[
    "reference",
    "references",
    "refs",
    "required",
    "review",
    "reviewer",
    "reviews",
    "rotation",
    "seconds",
    "selector",
  ],
  ...["size", "store", "timeout", "ttl", "type", "version"],
]);

const longestName = 256;

/** `preSharedKey`, `pre_shared_key` and `PRE-SHARED-KEY` are the same words, and so are `psk` and `psk2`. */
function wordsOf(name: string): string[] {
  const own = name.slice(-longestName).replace(/^.*\//, ""); // what stands before a slash is a domain
  return own
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter(Boolean);
}

const singular = (word: string): string => word.replace(/(?<!s)s$/, "");

const isSecretWord = (word: string): boolean => secretWords.has(singular(word)) || inOneGo.test(singular(word));

function isSecretKey(words: readonly string[], at: number): boolean {
  const word = singular(words[at] ?? "");
  const [, prefix] = /^(.*)(?:key|cert)$/.exec(word) ?? [];
  if (prefix === undefined) return false;
  const kind = prefix === "" ? (words[at - 1] ?? "") : prefix;
  return word.endsWith("cert") ? kind === "private" : keyWords.has(kind);
}

/** The names of an object's fields are the same each time that it is shown. */
const known = new Map<string, boolean>();
const mostKnown = 2_000;

/** Reports whether a field of this name holds what nobody may read. What only refers to it, such as `secretName`, does not. */
export function isSecretName(name: string): boolean {
  const kept = known.get(name);
  if (kept !== undefined) return kept;
  if (known.size >= mostKnown) known.clear();
  const isSecret = judged(name);
  if (name.length <= longestName) known.set(name, isSecret);
  return isSecret;
}

function judged(name: string): boolean {
  const words = wordsOf(name);
  if (aboutWords.has(words.at(-1) ?? "")) return false;
  return words.some((word, at) => isSecretWord(word) || isSecretKey(words, at)) || /kubeconfig/.test(words.join(""));
}
