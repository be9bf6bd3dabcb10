import type { Kind, KubeObject, Stored } from "@kubewright/apimachinery";
import type { SelectionOptions } from "@kubewright/client";
import type { Examined } from "./finding.ts";

/** Maximum number of objects to read of each kind. */
const maxObjects = 20_000;

/** Yields the objects of a kind, page by page. If it stops at a limit, it reports this with `note`. */
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
