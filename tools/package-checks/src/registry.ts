import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

/**
 * Input of an npm registry that runs as a separate process. The registry serves the packed packages and redirects requests for other
 * packages to `upstream`, so that the checks can run the same commands as users. It prints its URL on the first line, and exits when its
 * standard input is closed.
 */
export interface Registry {
  readonly upstream: string;
  readonly packages: readonly { readonly folder: string; readonly path: string }[];
}

interface Served {
  readonly manifest: { readonly name: string; readonly version: string };
  readonly tarball: Buffer;
}

const [list = ""] = process.argv.slice(2);
const { upstream, packages }: Registry = JSON.parse(readFileSync(list, "utf8"));
/** Versions of each package, in the order of the input. */
const served = Map.groupBy(
  packages.map(({ folder, path }): Served => {
    return { manifest: JSON.parse(readFileSync(join(folder, "package.json"), "utf8")), tarball: readFileSync(path) };
  }),
  ({ manifest }) => manifest.name,
);

const server = createServer((request, response) => {
  const path = decodeURIComponent((request.url ?? "/").slice(1)).split("?", 1)[0] ?? "";
  const [, name = path, wanted] = /^(.*)\/-\/(.*)\.tgz$/.exec(path) ?? [];
  const versions = served.get(name);
  // Responses must not be cached, because the next run serves other packages with the same names.
  response.setHeader("cache-control", "no-store");
  if (!versions) {
    response.writeHead(302, { location: new URL(request.url ?? "/", upstream).href }).end();
  } else if (wanted !== undefined) {
    const tarball = versions.find(({ manifest }) => manifest.version === wanted)?.tarball;
    response.writeHead(tarball ? 200 : 404, { "content-type": "application/octet-stream" }).end(tarball);
  } else {
    const body = {
      name,
      "dist-tags": { latest: versions.at(-1)?.manifest.version },
      versions: Object.fromEntries(versions.map((one) => [one.manifest.version, manifestOf(name, one)])),
    };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  }
});

function manifestOf(name: string, { manifest, tarball }: Served): object {
  const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
  const url = `http://127.0.0.1:${portOf()}/${name}/-/${manifest.version}.tgz`;
  return { ...manifest, dist: { tarball: url, integrity } };
}

const portOf = (): number => (server.address() as AddressInfo).port; // it listens on TCP

server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${portOf()}/`));
process.stdin.resume().on("end", () => process.exit(0));
