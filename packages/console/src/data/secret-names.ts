/** Words that mark a name as the name of a secret, wherever they occur in the name. */
const secretWords = new Set([
  ...["authorization", "bearer", "cookie", "credential", "dsn", "jwt", "kubeconfig", "otp", "pass", "passcode"],
  ...["passphrase", "passwd", "password", "pin", "psk", "pwd", "secret", "token"],
]);

/** Matches names of secrets in which the words are not separated: `mypasswordhash`, `apitoken` and `dbpass`, but not `bypass`. */
const inOneGo =
  /authorization|credential|kubeconfig|passphrase|passwd|password|secret|(token|psk|pwd)$|(?<!by|com|over|tres|under|sur)pass$/;

/** Words that mark a following "key" or "certificate" as secret. Without them, it may be a public key or the key of an entry. */
const keyWords = new Set([
  ...["access", "account", "admin", "aes", "api", "auth", "cipher", "client", "consumer", "crypto", "decryption"],
  ...["deploy", "encryption", "hmac", "host", "identity", "ipsec", "license", "mac", "master", "preshared", "priv"],
  ...["private", "root", "rsa", "sas", "server", "session", "shared", "signing", "ssh", "ssl", "storage", "tls"],
  ...["webhook", "wg", "wireguard"],
]);

/** Last words of names that only describe a secret, such as its location, and are therefore not secret. */
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

/** Splits a name into words. The words are the same for `preSharedKey`, `pre_shared_key` and `PRE-SHARED-KEY`, and for `psk` and `psk2`. */
function wordsOf(name: string): string[] {
  const own = name.slice(-longestName).replace(/^.*\//, ""); // the part before a slash is a domain
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

/** Results, keyed by name. They are cached, because field names repeat each time an object is shown. */
const known = new Map<string, boolean>();
const maxKnown = 2_000;

/** Reports whether a field with the given name contains a secret. References such as `secretName` do not. */
export function isSecretName(name: string): boolean {
  const kept = known.get(name);
  if (kept !== undefined) return kept;
  if (known.size >= maxKnown) known.clear();
  const isSecret = judged(name);
  if (name.length <= longestName) known.set(name, isSecret);
  return isSecret;
}

function judged(name: string): boolean {
  const words = wordsOf(name);
  if (aboutWords.has(words.at(-1) ?? "")) return false;
  return words.some((word, at) => isSecretWord(word) || isSecretKey(words, at)) || /kubeconfig/.test(words.join(""));
}
