import { type CelType, celType } from "../values/type.ts";
import type { Names } from "./checked-expression.ts";

/** Resolves names at one position in an expression. Variables of enclosing loops take precedence over all other names. */
export class Scopes {
  readonly #names: Names;
  readonly #inner: ReadonlyMap<string, CelType>[] = [];

  constructor(names: Names) {
    this.#names = names;
  }

  push(variables: ReadonlyMap<string, CelType>): void {
    this.#inner.push(variables);
  }

  pop(): void {
    this.#inner.pop();
  }

  /** Returns the variable or type with the given name. If the name starts with a dot, loop variables are ignored. */
  lookUp(written: string): { name: string; type: CelType } | undefined {
    const name = written.replace(/^\./, "");
    const local = written === name ? this.#inner.findLast((scope) => scope.has(name))?.get(name) : undefined;
    const type = local ?? this.#names.variables.get(name);
    if (type) return { name, type };
    return this.#names.structs(name) ? { name, type: celType.type(celType.struct(name)) } : undefined;
  }
}
