const secretKeys = ["pre_shared_key", "local_private_cert", "luci_password", "password"];
const mask = "***";
/** Minimum length of secrets that are masked anywhere in a string. Shorter secrets are masked only where they are the value of their key. */
const shortestLiteral = 4;

/** Returns the secrets in a record to be sent. */
export function secretsOf(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    secretKeys.includes(key) && typeof member === "string"
      ? [...new Set([member, ...member.split("___")])]
      : secretsOf(member),
  );
}

/** Matches a login token in a header. */
const token = /(sysauth\s*=\s*)[^\s;,"'<>&\\]+/g;

/** Masks secrets in a string: the given secrets, values whose keys suggest a secret, and login tokens. */
export function maskSecrets(text: string, secrets: readonly string[]): string {
  const keyed = new RegExp(`("(?:${secretKeys.join("|")})"\\s*:\\s*)"(?:[^"\\\\]|\\\\.)*"?`, "g");
  const spellings = secrets.flatMap((secret) => {
    const escaped = JSON.stringify(secret).slice(1, -1);
    return [secret, escaped, escaped.replaceAll("/", "\\/"), encodeURIComponent(secret)];
  });
  const literals = [...new Set(spellings)].filter(({ length }) => length >= shortestLiteral);
  const longestFirst = literals.sort((a, b) => b.length - a.length);
  return longestFirst.reduce(
    (masked, literal) => masked.replaceAll(literal, mask),
    text.replace(keyed, `$1"${mask}"`).replace(token, `$1${mask}`),
  );
}
