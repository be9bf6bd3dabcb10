/**
 * Replaces `{{step.path.to.value}}` in a text by values of earlier answers.
 *
 * @throws {Error} if the value does not exist
 */
export function fillIn(text: string, answers: ReadonlyMap<string, unknown>): string {
  return text.replaceAll(/\{\{([^.}]+)\.([^}]+)\}\}/g, (_whole, step: string, path: string) => {
    const value = path.split(".").reduce<unknown>(memberOf, answers.get(step));
    if (typeof value !== "string" && typeof value !== "number")
      throw new Error(`the answer of step "${step}" has no text at ${path}`);
    return String(value);
  });
}

function memberOf(value: unknown, member: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, member) : undefined;
}

const namespacePath = /^([a-z0-9.-]*)(?:\/(v\w+))?~/;

/** Expands the short form of a namespaced path. */
export function spellOut(path: string, namespace: string): string {
  return path.replace(namespacePath, (_whole, group: string, version: string | undefined) =>
    group === "" ? `/api/v1/namespaces/${namespace}` : `/apis/${group}/${version ?? "v1"}/namespaces/${namespace}`,
  );
}
