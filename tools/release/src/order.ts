import { dependencyFields, type Manifest } from "./manifest.ts";

/**
 * Names of the packages in the order of publishing: one comes after all that it needs when it is installed, so that nobody installs it in vain
 * in between. Those that may come at the same time stand in the order of their names.
 *
 * @throws {Error} if one needs a package that is private, or they need one another in a circle
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
    if (hidden) throw new Error(`${manifest.name} needs ${hidden}, which is private: nobody could install it`);
    waiting.set(
      manifest.name,
      needed.filter((name) => names.has(name)),
    );
  }
  const layers: string[][] = [];
  while (waiting.size > 0) {
    const ready = [...waiting].filter(([, needed]) => !needed.some((name) => waiting.has(name))).map(([name]) => name);
    if (ready.length === 0) throw new Error(`packages need one another in a circle: ${[...waiting.keys()].join(", ")}`);
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
