import { type Definition, type DefinitionVersion, readDefinition } from "../source/definition.ts";
import { type Finding, finding } from "./finding.ts";
import { schemaChanges } from "./schema-changes.ts";

/**
 * What breaks when one definition takes another's place: for objects that are stored, and for clients of a version that both have.
 * What is allowed is not in the answer. `previous` may be a live one, whose `status.storedVersions` counts.
 *
 * @throws {Error} if one of them is no definition
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
      finding(path, `was ${a}, is ${b}: the server refuses it, or it is another resource, and the objects stay behind`),
    );
}

/** Stored objects of a version must be readable; clients of one that was announced to go know it. */
function dropped(version: DefinitionVersion, { status }: Definition): Finding[] {
  const { name, storage, served, deprecated } = version;
  const stored = status?.storedVersions?.includes(name) ?? storage;
  if (stored)
    return [
      finding(
        name,
        "is dropped, and objects are stored in it: migrate them, take it from status.storedVersions, then drop it",
      ),
    ];
  return served && !deprecated
    ? [finding(name, "is dropped without having been deprecated: clients that use it get 404")]
    : [];
}

function versionChanges(was: DefinitionVersion, is: DefinitionVersion): Finding[] {
  const { name } = was;
  const findings: Finding[] = [];
  if (was.served && !is.served && !was.deprecated)
    findings.push(finding(name, "is not served any more, without having been deprecated: clients that use it get 404"));
  const [before, after] = [was.schema?.openAPIV3Schema, is.schema?.openAPIV3Schema];
  if (before && after) findings.push(...schemaChanges(before, after, name));
  if (was.subresources?.status && !is.subresources?.status)
    findings.push(finding(name, "has no status subresource any more: clients that write to it get 404"));
  if (was.subresources?.scale && !is.subresources?.scale)
    findings.push(finding(name, "has no scale subresource any more: autoscalers that use it get 404"));
  return findings;
}
