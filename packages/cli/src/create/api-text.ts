import { isRecord } from "@kubewright/apimachinery";
import { kindFiles } from "@kubewright/codegen";
import type { ApiKind } from "../generate/api-kinds.ts";
import { textAt } from "../project/files.ts";
import type { KindRequest } from "./kind-request.ts";

/** Returns the module for a new version: a copy of the newest existing version or, for a new kind, an example. */
export function apiText(request: KindRequest, root: string): string {
  const { newest } = request;
  if (!newest) return firstText(request);
  return copiedText(textAt(root, newest.path) ?? "", request, newest) ?? printedText(request, newest);
}

/** Matches names; also matches strings and comments, in which names are not replaced. */
const tokens = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|\/\/.*|\/\*[\s\S]*?\*\/|[\w$]+/g;

/** Copies the newest version's module. Returns undefined if the module exports more than the kind or does not follow the scaffold. */
function copiedText(text: string, request: KindRequest, newest: ApiKind): string | undefined {
  const { version, exportName, shortNames } = request;
  const exported = [...text.matchAll(/^export\s+(?:const|type)\s+(\w+)/gm)].map(([, name]) => name);
  const isAlone = exported.length > 0 && exported.every((name) => name === newest.exportName);
  if (!isAlone || text.match(/^export\b/gm)?.length !== exported.length) return undefined;
  const versions = text.split(`version: "${newest.version}"`);
  if (versions.length !== 2 || text.split(/\bdefineKind\(/).length !== 2) return undefined;
  const copied = versions
    .join(`version: "${version}"`)
    .replace(tokens, (token) => (token === newest.exportName ? exportName : token))
    .replace(/^ *deprecated: (?:true|"[^"\n]*"),\n/m, "");
  if (!shortNames) return copied;
  const names = shortNamesText(shortNames);
  const others = copied.replace(/\bshortNames: \[[^\]]*\]/, names);
  if (others !== copied || copied.includes(names)) return others;
  const added = copied.replace(/^( *)scope: /m, (line, indent) => `${indent}${names},\n${line}`);
  return added === copied ? undefined : added;
}

const shortNamesText = (names: readonly string[]): string =>
  `shortNames: ${JSON.stringify(names).replaceAll(",", ", ")}`;

/** Prints the newest version from its CRD: schema, names, columns and subresources. */
function printedText({ version, exportName, shortNames }: KindRequest, { crd }: ApiKind): string {
  const spec = "spec" in crd && isRecord(crd.spec) ? crd.spec : {};
  const [newest] = Array.isArray(spec.versions) ? spec.versions.filter(isRecord) : [];
  const { deprecated: _, deprecationWarning: _warning, ...rest } = newest ?? {};
  const names = { ...(isRecord(spec.names) ? spec.names : {}), ...(shortNames ? { shortNames } : {}) };
  const versions = [{ ...rest, name: version, served: true, storage: true }];
  const [file] = kindFiles({ ...crd, spec: { ...spec, names, versions } }, { style: "typebox" });
  return (file?.text ?? "")
    .replace(/^\/\/.*\n/, "")
    .replace(/^export const \w+ = /m, `export const ${exportName} = `)
    .replace(
      /^export type \w+ = ObjectOf<typeof \w+>;$/m,
      `export type ${exportName} = ObjectOf<typeof ${exportName}>;`,
    );
}

function firstText({ group, version, kind, plural, shortNames = [], scope, exportName }: KindRequest): string {
  const names = shortNames.length > 0 ? `\n  ${shortNamesText(shortNames)},` : "";
  const conditions = exportName === "Conditions" ? "StatusConditions" : "Conditions";
  const imported = conditions === "Conditions" ? conditions : `Conditions as ${conditions}`;
  return `import { ${imported}, defineKind, type ObjectOf } from "kubewright";
import { Type } from "typebox";

export const ${exportName} = defineKind({
  group: "${group}",
  version: "${version}",
  kind: "${kind}",
  plural: "${plural}",${names}
  scope: "${scope}",
  spec: Type.Object({
    message: Type.String({ description: "Message of the object", default: "hello" }),
  }),
  status: Type.Object({
    observedGeneration: Type.Optional(
      Type.Integer({ description: "Generation of the spec that was last reconciled" }),
    ),
    conditions: Type.Optional(${conditions}),
  }),
  columns: [
    { name: "Message", type: "string", jsonPath: ".spec.message" },
    { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  ],
});
export type ${exportName} = ObjectOf<typeof ${exportName}>;
`;
}
