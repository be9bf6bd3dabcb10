import { type Definition, type DefinitionVersion, readDefinition } from "../source/definition.ts";
import { type Finding, finding } from "./finding.ts";
import { schemaChanges } from "./schema-changes.ts";

/**
 * Returns those changes between two CRDs that break stored objects or clients of a version that both CRDs contain.
 * Omits compatible changes.
 *
 * @param previous CRD from a file or a cluster. Its `status.storedVersions`, if present, determines which versions have
 * stored objects
 * @throws {Error} if an argument is not a CRD
 */
export function breakingChanges(previous: unknown, next: unknown): Finding[] {
  const [was, is] = [readDefinition(previous), readDefinition(next)];
  return [
    ...identity(was, is),
    ...was.spec.versions.flatMap((version) => {
      const now = is.spec.versions.find(({ name }) => name === version.name);
      return now ? versionChanges(version, now) : dropped(version, was);
    }),
  ];
}

function identity({ spec: was }: Definition, { spec: is }: Definition): Finding[] {
  const pairs = [
    ["spec.group", was.group, is.group],
    ["spec.names.plural", was.names.plural, is.names.plural],
    ["spec.names.kind", was.names.kind, is.names.kind],
    ["spec.scope", was.scope, is.scope],
  ] as const;
  return pairs
    .filter(([, a, b]) => a !== b)
    .map(([path, a, b]) =>
      finding(
        path,
        `was ${a}, is ${b}: the server refuses this change, or treats the kind as another resource and leaves existing objects behind`,
      ),
    );
}

/**
 * Returns a finding if the removal of a version breaks clients or stored objects. A version may be removed if it was deprecated before and
 * no object is stored in it.
 */
function dropped(version: DefinitionVersion, { status }: Definition): Finding[] {
  const { name, storage, served, deprecated } = version;
  const stored = status?.storedVersions?.includes(name) ?? storage;
  if (stored)
    return [
      finding(
        name,
        "is removed, but objects are stored in this version: migrate them, remove the version from status.storedVersions, and only then remove it from the CRD",
      ),
    ];
  return served && !deprecated
    ? [finding(name, "is removed without prior deprecation: clients that use it get 404")]
    : [];
}

function versionChanges(was: DefinitionVersion, is: DefinitionVersion): Finding[] {
  const { name } = was;
  const findings: Finding[] = [];
  if (was.served && !is.served && !was.deprecated)
    findings.push(finding(name, "is no longer served, without prior deprecation: clients that use it get 404"));
  const [before, after] = [was.schema?.openAPIV3Schema, is.schema?.openAPIV3Schema];
  if (before && after) findings.push(...schemaChanges(before, after, name));
  if (was.subresources?.status && !is.subresources?.status)
    findings.push(finding(name, "no longer has a status subresource: clients that write to it get 404"));
  if (was.subresources?.scale && !is.subresources?.scale)
    findings.push(finding(name, "no longer has a scale subresource: autoscalers that use it get 404"));
  return findings;
}
