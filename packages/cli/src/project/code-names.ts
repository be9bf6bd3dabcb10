/** Words that no value may have for a name in a module, and those that mean something else to whoever reads on. */
const words = new Set(
  [
    "arguments as async await break case catch class const continue debugger default delete do else enum eval export extends",
    "false finally for from function get globalThis if implements import in instanceof interface let new null of package private",
    "protected public return set static super switch this throw true try type typeof undefined using var void while with yield",
  ].flatMap((line) => line.split(" ")),
);

/** What generated modules import, use or declare. */
const usedValues = new Set(
  [
    "add admission afterAll asReconciler beforeAll check client controllerManagedBy controllers conversion createLogger defineKind definition",
    "env expect fieldOwner fileURLToPath invalid it log logger long manager metadata operator options other reconcile running said seen",
    "setup silentLogger spoke stop stored versions vi webhooks",
  ].flatMap((line) => line.split(" ")),
);

/** What the language has under such a name, and what generated modules import, use or declare. */
const usedTypes = new Set(
  [
    "AbortController Array ArrayBuffer Atomics BigInt Boolean Client DataView Date DefinedKind Environment Error Function Infinity Intl",
    "Iterator JSON Kind KubeObject Manager ManagerOptions Map Math NaN Number Object ObjectMeta ObjectOf Partial Promise Proxy Readonly",
    "Record Reflect RegExp Set String Symbol Type URL Unstructured WeakMap WeakRef WeakSet",
  ].flatMap((line) => line.split(" ")),
);

/** As values are written: `CronJob` becomes `cronJob`, and `Class`, which cannot be `class`, `classResource`. */
export function valueNameOf(kind: string): string {
  const name = kind.charAt(0).toLowerCase() + kind.slice(1);
  return words.has(name) || usedValues.has(name) ? `${name}Resource` : name;
}

/** What a kind is exported by: its own name, or `MapResource`, where that would hide what is used beside it. */
export const exportNameOf = (kind: string): string => (usedTypes.has(kind) ? `${kind}Resource` : kind);

/** A name for each file, in the order of the files: `site-conversion` becomes `siteConversion`. All differ, and none is one of `taken`. */
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
