const secretKeys = ["pre_shared_key", "local_private_cert", "luci_password", "password"];
const mask = "***";
/** Shorter secrets are masked where they stand under their key, not wherever the text happens to hold them. */
const shortestLiteral = 4;

/** The secrets in a record that is about to be sent. */
export function secretsOf(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    secretKeys.includes(key) && typeof member === "string"
      ? [...new Set([member, ...member.split("___")])]
      : secretsOf(member),
  );
}

/** A log-in's token, as a header has it. */
const token = /(sysauth\s*=\s*)[^\s;,"'<>&\\]+/g;

/** The text without these secrets, and without whatever stands under a key that holds secrets, or is a log-in's token. */
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
