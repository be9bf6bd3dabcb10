import { isDeepStrictEqual } from "node:util";
import { definedBy, isInvalid, isNotFound } from "@kubewright/apimachinery";
import { CustomResourceDefinition } from "@kubewright/client/kinds";
import type { Examined, Finding } from "./finding.ts";

const install = "npx kubewright install";

/** Finds CRDs that are missing, differ from the CRDs that the program defines, are not served, or have objects stored in an old version. */
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
          what: `is not served: condition ${type} is ${status}: ${message}`,
          where,
          remedy: `kubectl describe ${where}`,
        };
    const stored = live.spec.versions.find(({ storage }) => storage)?.name;
    const leftovers = storedVersions.filter((version) => version !== stored);
    if (leftovers.length > 0)
      yield {
        what: `may have objects stored as ${leftovers.join(", ")}, although the storage version is ${stored}`,
        where,
        remedy: `rewrite them: kubectl get ${name} -A -o json | kubectl replace -f - ; then run kubectl patch ${where} --subresource=status --type=merge -p '${JSON.stringify({ status: { storedVersions: [stored] } })}'`,
      };
    const difference = await differenceOf(examined, name, live.spec);
    if (difference) yield { ...difference, where };
  }
}

/** Compares the live CRD with a dry run of the program's CRD, which fills in defaults. Ignores the address of the conversion webhook. */
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
    // Other managers own parts of the conversion. If it were left out, applying would remove this owner's part and make the rest invalid.
    const wanted = { metadata: { name }, spec: { ...rest, ...(conversion ? { conversion } : {}) } };
    const asked = await client.apply(CustomResourceDefinition, wanted, options);
    const { versions, names } = asked.spec;
    const isSame = isDeepStrictEqual({ versions, names }, { versions: live.versions, names: live.names });
    return isSame ? undefined : { what: "differs from the program's CRD", remedy: install };
  } catch (error) {
    if (!isInvalid(error) || !(error instanceof Error)) throw error;
    return { what: `differs from the program's CRD and cannot be updated: ${error.message}`, remedy: install };
  }
}

function conversionDifference(name: string, own = "None", live = "None"): Pick<Finding, "what" | "remedy"> | undefined {
  if (own === live) return undefined;
  if (own === "Webhook") return { what: "does not use the program's conversion webhook", remedy: install };
  const patch = JSON.stringify({ spec: { conversion: { strategy: "None", webhook: null } } });
  return {
    what: "has a conversion webhook that the program does not have",
    remedy: `kubectl patch customresourcedefinitions/${name} --type=merge -p '${patch}' ; then run ${install}`,
  };
}
