import { dependencyFields, type Manifest } from "./manifest.ts";

/**
 * Returns the names of packages in the order of publishing: each after its dependencies, so that it can be installed at any time. Packages
 * of one list may be published at the same time and are sorted by name.
 *
 * @throws {Error} if a package depends on a private one, or if there is a dependency cycle
 */
export function publishingOrder(
  publishable: readonly Manifest[],
  privateNames: ReadonlySet<string>,
): readonly (readonly string[])[] {
  const names = new Set(publishable.map(({ name }) => name));
  const waiting = new Map<string, readonly string[]>();
  for (const manifest of publishable) {
    const needed = needs(manifest);
    const hidden = needed.find((name) => privateNames.has(name));
    if (hidden)
      throw new Error(`${manifest.name} depends on ${hidden}, which is private, so users could not install it`);
    waiting.set(
      manifest.name,
      needed.filter((name) => names.has(name)),
    );
  }
  const layers: string[][] = [];
  while (waiting.size > 0) {
    const ready = [...waiting].filter(([, needed]) => !needed.some((name) => waiting.has(name))).map(([name]) => name);
    if (ready.length === 0) throw new Error(`dependency cycle: ${[...waiting.keys()].join(", ")}`);
    for (const name of ready) waiting.delete(name);
    layers.push(ready.sort());
  }
  return layers;
}

function needs(manifest: Manifest): readonly string[] {
  return dependencyFields
    .filter((field) => field !== "devDependencies")
    .flatMap((field) => Object.keys(manifest[field] ?? {}));
}
