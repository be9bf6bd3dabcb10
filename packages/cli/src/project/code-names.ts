/** Names that are reserved in modules or would confuse readers. */
const words = new Set(
  [
    "arguments as async await break case catch class const continue debugger default delete do else enum eval export extends",
    "false finally for from function get globalThis if implements import in instanceof interface let new null of package private",
    "protected public return set static super switch this throw true try type typeof undefined using var void while with yield",
  ].flatMap((line) => line.split(" ")),
);

/** Names of values that generated modules use. */
const usedValues = new Set(
  [
    "add admission asReconciler check client clock conditions controllerManagedBy controllers conversion createLogger created defineKind",
    "definition env expect fileURLToPath invalid isConditionTrue it log logger manager metadata now observedGeneration operator options other",
    "reason reconcile rfc3339 running said setCondition setup silentLogger spec spoke status stop stored versions vi webhooks",
  ].flatMap((line) => line.split(" ")),
);

/** Names of types and globals of the language and of generated modules. */
const usedTypes = new Set(
  [
    "AbortController Array ArrayBuffer Atomics BigInt Boolean Client DataView Date DefinedKind Environment Error Function Infinity Intl",
    "Iterator JSON Kind KubeObject Manager ManagerOptions Map Math NaN Number Object ObjectMeta ObjectOf Partial Promise Proxy Readonly",
    "Record Reflect RegExp Set String Symbol Type URL Unstructured WeakMap WeakRef WeakSet",
  ].flatMap((line) => line.split(" ")),
);

/** Returns a variable name: `CronJob` becomes `cronJob`; `Class` becomes `classResource`, because `class` is reserved. */
export function valueNameOf(kind: string): string {
  const name = kind.charAt(0).toLowerCase() + kind.slice(1);
  return words.has(name) || usedValues.has(name) ? `${name}Resource` : name;
}

/**
 * Returns the export name for a kind: the kind's own name, or a name such as `MapResource` if the kind's name would
 * shadow one in use.
 */
export const exportNameOf = (kind: string): string => (usedTypes.has(kind) ? `${kind}Resource` : kind);

/** Returns a unique variable name for each file: `site-conversion` becomes `siteConversion`. Avoids the names in `taken`. */
export function fileValueNames(files: readonly string[], taken: readonly string[]): string[] {
  const given = new Set(taken);
  return files.map((file) => {
    const text = file.replace(/[^A-Za-z0-9]+(.)?/g, (_all, next: string | undefined) => (next ?? "").toUpperCase());
    let name = /^[A-Za-z]/.test(text) ? text : `_${text}`;
    while (given.has(name) || words.has(name)) name += "_";
    given.add(name);
    return name;
  });
}
