import { isDeepStrictEqual } from "node:util";
import { definedBy, isInvalid, isNotFound } from "@kubewright/apimachinery";
import { CustomResourceDefinition } from "@kubewright/client/kinds";
import type { Examined, Finding } from "./finding.ts";

const install = "npx kubewright install";

/** Definitions that are not as the program has them, or not served, or hold objects of versions that are no longer written. */
export async function* definitions(examined: Examined): AsyncGenerator<Finding> {
  const { client, program, signal } = examined;
  const names = new Set(program.kinds.map(({ plural, group }) => `${plural}.${group}`));
  for (const name of names) {
    const where = `customresourcedefinitions/${name}`;
    const live = await client.get(CustomResourceDefinition, name, { signal }).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    if (!live) {
      yield { what: "is not installed", where, remedy: install };
      continue;
    }
    const { conditions = [], storedVersions = [] } = live.status ?? {};
    for (const { type, status, message = "" } of conditions)
      if ((type === "Established" || type === "NamesAccepted") && status !== "True")
        yield {
          what: `is not served: ${type} is ${status}: ${message}`,
          where,
          remedy: `kubectl describe ${where}`,
        };
    const stored = live.spec.versions.find(({ storage }) => storage)?.name;
    const leftovers = storedVersions.filter((version) => version !== stored);
    if (leftovers.length > 0)
      yield {
        what: `may hold objects stored as ${leftovers.join(", ")}, while ${stored} is written now`,
        where,
        remedy: `write them anew: kubectl get ${name} -A -o json | kubectl replace -f - ; then: kubectl patch ${where} --subresource=status --type=merge -p '${JSON.stringify({ status: { storedVersions: [stored] } })}'`,
      };
    const difference = await differenceOf(examined, name, live.spec);
    if (difference) yield { what: difference, where, remedy: install };
  }
}

/** Told by what the server would make of the program's, so that defaults are no difference. Where conversion is served is not the program's. */
async function differenceOf(
  { client, program, signal }: Examined,
  name: string,
  live: { readonly versions: unknown; readonly names: unknown },
): Promise<string | undefined> {
  const kind = program.kinds.find(({ plural, group }) => `${plural}.${group}` === name);
  if (!kind) return undefined;
  const whole = program.webhookConfigurations.find(
    (one) => "kind" in one && one.kind === "CustomResourceDefinition" && definedBy(one).crd.metadata.name === name,
  );
  const { spec } = definedBy(whole ?? kind.crd).crd;
  const { conversion: _, ...own } = { conversion: undefined, ...spec };
  const options = { dryRun: true, force: true, fieldOwner: "kubewright", signal };
  try {
    const asked = await client.apply(CustomResourceDefinition, { metadata: { name }, spec: own }, options);
    const { versions, names } = asked.spec;
    const isSame = isDeepStrictEqual({ versions, names }, { versions: live.versions, names: live.names });
    return isSame ? undefined : "is not as the program has it";
  } catch (error) {
    if (!isInvalid(error) || !(error instanceof Error)) throw error;
    return `is not as the program has it, and cannot become so yet: ${error.message}`;
  }
}
