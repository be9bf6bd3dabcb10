import type { Kind, KubeObject, Stored } from "@kubewright/apimachinery";
import type { SelectionOptions } from "@kubewright/client";
import type { Examined } from "./finding.ts";

/** Maximum number of objects to read of each kind. */
const maxObjects = 20_000;

/** Yields a kind's objects, page by page. Calls `note` if it stops at a limit. */
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
      return note(`${kind.kind}: only the first ${count} were checked`);
  }
}
