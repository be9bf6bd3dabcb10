import { spend } from "../text/cost-meter.ts";
import { CelList, CelMap, CelStruct } from "./collections.ts";
import type { StructProvider, StructType } from "./struct-provider.ts";
import { type CelType, celType } from "./type.ts";
import { CelError, type CelValue } from "./value.ts";

const objectName = "Object";

const patchFields: ReadonlyMap<string, CelType> = new Map([
  ["op", celType.string],
  ["path", celType.string],
  ["from", celType.string],
  ["value", celType.dyn],
]);

const struct = (name: string, values: ReadonlyMap<string, CelValue>): CelStruct =>
  new CelStruct(name, { find: (field) => values.get(field), fields: () => values.keys() });

const jsonPatchType: StructType = {
  name: "JSONPatch",
  fieldType: (field) => patchFields.get(field),
  make(values) {
    for (const name of ["op", "path", "from"]) {
      const value = values.get(name);
      if (value !== undefined && typeof value !== "string")
        return new CelError(`unexpected type for JSONPatchType '${name}' field`);
    }
    return struct("JSONPatch", values);
  },
};

/** Creates an object type that accepts any field, because the object's kind is known only at run time. */
const objectType = (name: string): StructType => ({
  name,
  fieldType: () => celType.dyn,
  make: (values) => struct(name, values),
});

/**
 * The types of the changes that mutating policies make: `Object{spec: Object.spec{…}}` and `JSONPatch{op: …, path: …,
 * value: …}`.
 *
 * @see apiserver pkg/cel/mutation DynamicTypeResolver
 */
export const mutationTypes: StructProvider = (name) => {
  if (name === "JSONPatch") return jsonPatchType;
  return name === objectName || name.startsWith("Object.") ? objectType(name) : undefined;
};

/**
 * Returns an error message for each object whose type does not match its position: in `Object{spec: …}`, for example,
 * the value of `spec` must be an `Object.spec{…}`. Lists and maps in between do not affect the name.
 */
export function misplacedTypes(value: CelValue, path: string = objectName): string[] {
  spend(1);
  if (value instanceof CelList) return [...value].flatMap((item) => misplacedTypes(item, path));
  if (value instanceof CelMap) return [...value.keys()].flatMap((key) => misplacedTypes(value.find(key) ?? null, path));
  if (!(value instanceof CelStruct) || value.name === "JSONPatch") return [];
  const wrong =
    value.name === path
      ? []
      : [
          `unexpected type name "${value.name}", expected "${path}", which matches field name path from root Object type`,
        ];
  return [
    ...wrong,
    ...[...value.fields()].flatMap((field) => misplacedTypes(value.find(field) ?? null, `${path}.${field}`)),
  ];
}
