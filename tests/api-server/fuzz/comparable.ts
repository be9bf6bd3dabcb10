const uuid = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const time = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
const clusterAddress = /\b10\.(0\.0|9[6-9]\.\d{1,3}|1[01]\d\.\d{1,3})\.\d{1,3}\b/g;
const versions = /(\\*"resourceVersion\\*":\\*")\d+(\\*")/g;
const record = /(in record \()\d+/g;
const suffix = /\b(?:g-|G_)[bcdfghjklmnpqrstvwxz2456789]{5}\b/g;
const credential = /,\\*"extra\\*":\{\\*"authentication\.kubernetes\.io\/credential-id\\*":\[\\*"[^"\\]*\\*"\]\}/g;
const serversConditions = /\\"conditions\\":\[\{\\"type\\":\\"(Dangling|Available)\\"[^\]]*\]/g;
const serversManager = /\{\\*"manager\\*":\\*"(api-priority-and-fairness-config-consumer-v1|kube-apiserver)\\*"/;
const dayMs = 86_400_000;

/** Returns an answer without values that differ between servers. */
export function comparable(text: string, now = Date.now()): unknown {
  const settle = (value: string): string =>
    withoutServersManagers(value)
      .replaceAll(credential, "")
      .replaceAll(serversConditions, "")
      .replaceAll(uuid, "<uid>")
      .replaceAll(time, (each) => (Math.abs(Date.parse(each) - now) < 2 * dayMs ? "<time>" : each))
      .replaceAll(clusterAddress, "<address>")
      .replaceAll(suffix, "<generated>")
      .replaceAll(record, "$1<version>")
      .replaceAll(versions, "$1<version>$2");
  const walk = (value: unknown, key: string): unknown => {
    if (key === "continue" && value !== "") return "<continue>";
    if (typeof value === "string")
      return key === "resourceVersion" && /^\d+$/.test(value) ? "<version>" : settle(value);
    if (typeof value === "number")
      return /nodePort/i.test(key) && value >= 30_000 && value < 32_768 && ![30_123, 30_124, 30_125].includes(value)
        ? "<port>"
        : value;
    if (Array.isArray(value)) {
      const all = value.filter((item) => !isServers(item)).map((item) => walk(item, key));
      return key === "managedFields" ? all.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : all;
    }
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .filter(([name, member]) => name !== "conditions" || !isEmptied(member))
        .filter(([name, member]) => name !== "extra" || !isCredentialOnly(member))
        .map(([name, member]) => [name, walk(member, name)]),
    );
  };
  try {
    return walk(JSON.parse(text), "");
  } catch {
    return settle(text);
  }
}

/** Returns text with managed fields, without those of the server's own controllers. */
function withoutServersManagers(text: string): string {
  const start = serversManager.exec(text)?.index;
  if (start === undefined) return text;
  let end = start;
  let depth = 0;
  do {
    if (text[end] === "{") depth++;
    else if (text[end] === "}") depth--;
    end++;
  } while (depth > 0 && end < text.length);
  const [before, after] = [text.slice(0, start), text.slice(end)];
  return withoutServersManagers(after.startsWith(",") ? before + after.slice(1) : before.replace(/,$/, "") + after);
}

/** Reports whether only the server's own controllers wrote the conditions. */
const isEmptied = (conditions: unknown): boolean => Array.isArray(conditions) && conditions.every(isServers);

/** The credential depends on the way of authentication. */
const isCredentialOnly = (extra: unknown): boolean =>
  typeof extra === "object" &&
  extra !== null &&
  Object.keys(extra).join() === "authentication.kubernetes.io/credential-id";

/** Reports whether the server's own controllers wrote a value, at any time. */
function isServers(value: unknown): boolean {
  const text = JSON.stringify(value) ?? "";
  return /"manager":"(api-priority-and-fairness-config-consumer-v1|kube-apiserver)"|"type":"Dangling"|"reason":"ServiceNotFound"/.test(
    text,
  );
}

/** Returns the paths of differences without indices, with both values. */
export function differences(real: unknown, ours: unknown, path = ""): string[] {
  if (JSON.stringify(real) === JSON.stringify(ours)) return [];
  const isBranch = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
  if (isBranch(real) && isBranch(ours) && Array.isArray(real) === Array.isArray(ours)) {
    const keys = new Set([...Object.keys(real), ...Object.keys(ours)]);
    const found = [...keys].flatMap((key) =>
      differences(real[key], ours[key], Array.isArray(real) ? `${path}[]` : `${path}.${key}`),
    );
    return found.length > 0 ? [...new Set(found)] : [`${path}: different order`];
  }
  return [`${path}: real ${shown(real)} ours ${shown(ours)}`];
}

const shown = (value: unknown): string => (JSON.stringify(value) ?? "nothing").slice(0, 400);
