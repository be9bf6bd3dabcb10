import type { Kind, KubeObject, Stored } from "@kubewright/apimachinery";
import type { SelectionOptions } from "@kubewright/client";
import type { Examined } from "./finding.ts";

/** A cluster with more has other ways to be looked after. */
const maxObjects = 20_000;

/** Every object of a kind, read page by page, up to a limit that is told of. */
export async function* pages<T extends KubeObject>(
  { client, signal, note }: Pick<Examined, "client" | "signal" | "note">,
  kind: Kind<T>,
  selection: SelectionOptions = {},
): AsyncGenerator<Stored<T>> {
  let count = 0;
  for await (const page of client.listPages(kind, { ...selection, signal })) {
    yield* page;
    count += page.length;
    if (count >= maxObjects && page.metadata.continue)
      return note(`${kind.kind}: only the first ${count} were looked at`);
  }
}
