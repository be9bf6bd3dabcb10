import type { DeclType } from "./decl-type.ts";
import type { CelType } from "./type.ts";
import { CelError, type CelValue } from "./value.ts";

/** An object type, used by the checker to resolve fields and literals such as `Name{field: value}`. */
export interface StructType {
  readonly name: string;
  fieldType(field: string): CelType | undefined;
  make(fields: ReadonlyMap<string, CelValue>): CelValue | CelError;
}

/** Returns the object type with a given name. Called for every name that is not a variable. */
export type StructProvider = (name: string) => StructType | undefined;

/** Creates a provider for the object types that declared types contain. */
export function structsOf(types: readonly DeclType[]): StructProvider {
  const found = new Map<string, StructType>();
  const collect = (declared: DeclType | undefined): void => {
    if (!declared) return;
    collect(declared.elem);
    const { fields, type } = declared;
    if (!fields || type.kind !== "struct" || found.has(type.name)) return;
    found.set(type.name, {
      name: type.name,
      fieldType: (field) => (fields.get(field) ?? fields.get(`__${field}__`))?.type.type,
      make: () => new CelError(`unknown type '${type.name}'`),
    });
    for (const field of fields.values()) collect(field.type);
  };
  for (const type of types) collect(type);
  return (name) => found.get(name);
}
