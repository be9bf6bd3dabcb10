const longestMessage = 2_000;
/** What a terminal takes for more than text, line breaks among it. */
const control = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;

/** A message without secrets, in one line, and not longer than a status should carry. */
export function masked(
  message: string,
  secrets: readonly (string | undefined)[],
  longest: number = longestMessage,
): string {
  const spellings = new Set(secrets.flatMap((secret) => (secret ? spellingsOf(secret) : [])));
  const longestFirst = [...spellings].filter(Boolean).sort((a, b) => b.length - a.length);
  const text = longestFirst.reduce((rest, secret) => rest.replaceAll(secret, "***"), message).replaceAll(control, " ");
  return text.length > longest ? `${text.slice(0, longest).toWellFormed()}...` : text;
}

/** The ways in which a CNF may repeat a value: trimmed, piece by piece, escaped as in JSON or in a URL, decoded from base64 and encoded. */
function spellingsOf(secret: string): string[] {
  const pieces = secret.split(/[_^]{3,}/).flatMap((piece) => [piece, Buffer.from(piece, "base64").toString("utf8")]);
  const values = [secret, secret.trim(), ...pieces, ...pieces.map((piece) => piece.trim())];
  const long = values.filter((value) => value === secret || value === secret.trim() || value.length >= 8);
  return long.flatMap((value) => [
    value,
    JSON.stringify(value).slice(1, -1),
    JSON.stringify(value).slice(1, -1).replaceAll("/", "\\/"),
    ...(value.length >= 8 ? [encodeURIComponent(value.toWellFormed()), Buffer.from(value).toString("base64")] : []),
  ]);
}
