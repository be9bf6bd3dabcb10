import { isNoMatch, isNotFound, type Kind, metadataOnly } from "@kubewright/apimachinery";
import { type Examined, type Finding, spanText } from "./finding.ts";
import { pages } from "./pages.ts";
import { programState } from "./program-state.ts";

/** Finalizers that the garbage collector removes. */
const ofCluster: Readonly<Record<string, string>> = {
  foregroundDeletion: "the garbage collector is waiting until the object's dependents are deleted",
  orphan: "the garbage collector must orphan the object's dependents",
};

/** Finds objects of the program's kinds that were deleted long ago but still exist. */
export async function* stuckFinalizers(examined: Examined): AsyncGenerator<Finding> {
  const { program, clock, stuckAfterMs } = examined;
  let state: Promise<string | undefined> | undefined;
  for (const { group, version, kind, plural, scope } of program.kinds) {
    const type: Kind = metadataOnly({ group, version, kind, plural, scope });
    try {
      for await (const { metadata } of pages(examined, type)) {
        const { name, namespace, deletionTimestamp, finalizers = [] } = metadata;
        const ageMs = clock.now() - Date.parse(deletionTimestamp ?? "");
        if (!(ageMs > stuckAfterMs)) continue;
        state ??= programState(examined);
        const running = await state;
        for (const [i, finalizer] of finalizers.entries())
          yield {
            what: `was deleted ${spanText(ageMs)} ago and is waiting for the finalizer ${finalizer}: ${ownerOf(finalizer, examined, running)}`,
            where: `${plural}.${group}/${name}${namespace ? ` in ${namespace}` : ""}`,
            remedy: remedyFor(finalizer, `${plural}.${group}`, { name, namespace }, i, examined, running),
          };
      }
    } catch (error) {
      if (!isNotFound(error) && !isNoMatch(error)) throw error; // the CRD is not installed, which another check reports
    }
  }
}

/** Returns true if the finalizer's domain belongs to one of the program's API groups. */
const isOwn = (finalizer: string, { program }: Examined): boolean => {
  const [domain = ""] = finalizer.split("/");
  return program.kinds.some(
    ({ group }) => domain === group || group.endsWith(`.${domain}`) || domain.endsWith(`.${group}`),
  );
};

function ownerOf(finalizer: string, examined: Examined, running: string | undefined): string {
  const known = ofCluster[finalizer];
  if (known) return known;
  if (!isOwn(finalizer, examined)) return "another program added this finalizer";
  return running === undefined ? `${examined.program.name} is not running` : running;
}

function remedyFor(
  finalizer: string,
  resource: string,
  { name, namespace }: { readonly name: string; readonly namespace?: string | undefined },
  index: number,
  examined: Examined,
  running: string | undefined,
): string {
  const patch = JSON.stringify([
    { op: "test", path: `/metadata/finalizers/${index}`, value: finalizer },
    { op: "remove", path: `/metadata/finalizers/${index}` },
  ]);
  const place = namespace ? ` -n ${namespace}` : "";
  const last = `to skip the cleanup: kubectl patch ${resource} ${name}${place} --type=json -p '${patch}'`;
  if (!isOwn(finalizer, examined)) return `check that the program that added the finalizer is running; ${last}`;
  return running === undefined ? `start the program (npm start); ${last}` : `check its log for the reason; ${last}`;
}
