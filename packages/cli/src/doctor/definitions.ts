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
    if (difference) yield { ...difference, where };
  }
}

/** Told by what the server would make of the program's, so that defaults are no difference. Where conversion is served is not the program's. */
async function differenceOf(
  { client, program, signal }: Examined,
  name: string,
  live: CustomResourceDefinition["spec"],
): Promise<Pick<Finding, "what" | "remedy"> | undefined> {
  const kind = program.kinds.find(({ plural, group }) => `${plural}.${group}` === name);
  if (!kind) return undefined;
  const whole = program.webhookConfigurations.find(
    (one) => "kind" in one && one.kind === "CustomResourceDefinition" && definedBy(one).crd.metadata.name === name,
  );
  const { spec } = definedBy(whole ?? kind.crd).crd;
  const { conversion: own, ...rest } = { conversion: undefined, ...spec };
  const { conversion } = live;
  const asHas = conversionDifference(name, own?.strategy, conversion?.strategy);
  if (asHas) return asHas;
  const options = { dryRun: true, force: true, fieldOwner: "kubewright", signal };
  try {
    // Of the conversion, others have said a part: left out here, what this owner said of it would go, and the rest be invalid.
    const wanted = { metadata: { name }, spec: { ...rest, ...(conversion ? { conversion } : {}) } };
    const asked = await client.apply(CustomResourceDefinition, wanted, options);
    const { versions, names } = asked.spec;
    const isSame = isDeepStrictEqual({ versions, names }, { versions: live.versions, names: live.names });
    return isSame ? undefined : { what: "is not as the program has it", remedy: install };
  } catch (error) {
    if (!isInvalid(error) || !(error instanceof Error)) throw error;
    return { what: `is not as the program has it, and cannot become so yet: ${error.message}`, remedy: install };
  }
}

function conversionDifference(name: string, own = "None", live = "None"): Pick<Finding, "what" | "remedy"> | undefined {
  if (own === live) return undefined;
  if (own === "Webhook") return { what: "does not have its objects converted, as the program does", remedy: install };
  const patch = JSON.stringify({ spec: { conversion: { strategy: "None", webhook: null } } });
  return {
    what: "has its objects converted by a webhook, which the program has none for",
    remedy: `kubectl patch customresourcedefinitions/${name} --type=merge -p '${patch}' ; then: ${install}`,
  };
}
