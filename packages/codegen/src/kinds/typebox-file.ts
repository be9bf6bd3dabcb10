import { jsonEqual, type StructuralSchema } from "@kubewright/apimachinery";
import type { Definition, DefinitionVersion } from "../source/definition.ts";
import { memberName } from "../text/literal.ts";
import { pascal, UniqueNames, versionSuffix } from "../text/names.ts";
import { importText } from "./interface-file.ts";
import { kindExpression } from "./typebox-kind.ts";

/**
 * Returns TypeScript with a `defineKind` for each version of a CRD. If there are several versions, `versions` combines
 * them into one kind. If their fields differ, the code exports a function that takes the conversions (which a CRD does
 * not contain) and returns the kind.
 */
export function typeboxFile(definition: Definition, chosen: readonly string[], name: string, library: string): string {
  const found = chosen.flatMap((name) => definition.spec.versions.filter((version) => version.name === name));
  const names = new UniqueNames();
  const kind = names.take(pascal(name));
  const [only, ...others] = found;
  if (only && others.length === 0) {
    const { text, uses } = kindExpression(definition, only, true);
    return fileText([kindText(kind, text)], uses, ["ObjectOf"], library);
  }
  return severalVersions(definition, found, kind, names, library);
}

/** A version, and its name in the generated text. */
interface Named {
  readonly version: string;
  readonly name: string;
  /** True if the objects of the version differ from the hub's objects only in `apiVersion`. */
  readonly isAlike: boolean;
}

function severalVersions(
  definition: Definition,
  versions: readonly DefinitionVersion[],
  kind: string,
  names: UniqueNames,
  library: string,
): string {
  const uses = new Set<string>(["spoke", "versions"]);
  const schemas = versions.map(({ schema }) => schema?.openAPIV3Schema ?? {});
  const isConverted = definition.spec.conversion?.strategy === "Webhook";
  const parts: string[] = [];
  const named = versions.map((version, i): Named => {
    const { text, uses: own } = kindExpression(definition, version, false);
    for (const name of own) uses.add(name);
    const name = names.take(kind + versionSuffix(version.name));
    parts.push(kindText(name, text));
    const isAlike = !isConverted && jsonEqual(shapeOf(schemas[0] ?? {}), shapeOf(schemas[i] ?? {}));
    return { version: version.name, name, isAlike };
  });
  const [hub, ...spokes] = named;
  const hubName = hub?.name ?? kind;
  const isWhole = spokes.every(({ isAlike }) => isAlike);
  const joined = isWhole ? joinedText(kind, hubName, spokes) : convertedText(kind, hubName, spokes);
  return fileText([...parts, joined], [...uses], ["ObjectOf", ...(isWhole ? [] : ["SpokeConversion"])], library);
}

const joinedText = (kind: string, hub: string, spokes: readonly Named[]): string =>
  `export const ${kind} = versions(${hub}, { spokes: [${spokes.map(({ name }) => `spoke(${name})`).join(", ")}] });
export type ${kind} = ObjectOf<typeof ${kind}>;\n`;

function convertedText(kind: string, hub: string, spokes: readonly Named[]): string {
  const converted = spokes.filter(({ isAlike }) => !isAlike);
  const members = converted.map(
    ({ version, name }) => `  readonly ${memberName(version)}: SpokeConversion<${name}, ${hub}>;\n`,
  );
  const parts = spokes.map(({ version, name, isAlike }) =>
    isAlike ? `spoke(${name})` : `spoke(${name}, conversions[${JSON.stringify(version)}])`,
  );
  return `/** Conversions of ${kind}, which a definition does not contain. */
export interface ${kind}Conversions {\n${members.join("")}}

/** Returns the kind with all its versions. */
export const ${kind.charAt(0).toLowerCase()}${kind.slice(1)}Versions = (conversions: ${kind}Conversions) =>
  versions(${hub}, { spokes: [${parts.join(", ")}] });\n`;
}

/** Returns the parts of a schema that determine the type of its values. */
function shapeOf(schema: StructuralSchema): object {
  const { type, nullable, required = [], enum: values, properties = {}, items, additionalProperties } = schema;
  return {
    type,
    nullable: nullable ?? false,
    isOpen: schema["x-kubernetes-preserve-unknown-fields"] ?? false,
    isIntOrString: schema["x-kubernetes-int-or-string"] ?? false,
    values,
    required: required.toSorted(),
    properties: Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, shapeOf(property)])),
    items: items && shapeOf(items),
    additional: typeof additionalProperties === "object" ? shapeOf(additionalProperties) : additionalProperties,
  };
}

const kindText = (name: string, expression: string): string =>
  `export const ${name} = ${expression};\nexport type ${name} = ObjectOf<typeof ${name}>;\n`;

function fileText(
  parts: readonly string[],
  uses: readonly string[],
  types: readonly string[],
  library: string,
): string {
  const own = importText(uses, types, library);
  const other = 'import { Type } from "typebox";\n';
  const ordered = library < "typebox" ? [own, other] : [other, own];
  return `${ordered.join("")}\n${parts.join("\n")}`;
}
