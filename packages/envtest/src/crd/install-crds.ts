import { isDeepStrictEqual } from "node:util";
import { systemRandom } from "@kubewright/clock";
import type { ApiRequests } from "../bed/api-requests.ts";
import { createOrUpdate, expectOk, objectPath, type PollOptions, poll, update } from "../bed/api-writes.ts";
import type { Crd } from "./crd-source.ts";

const collection = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/**
 * Creates or updates CRDs, and waits until discovery lists all their served versions and conversion works.
 *
 * @throws {Error} if the server rejects a CRD or does not serve it in time
 * @see controller-runtime pkg/envtest InstallCRDs, WaitForCRDs
 */
export async function installCrds(api: ApiRequests, crds: readonly Crd[], options: PollOptions): Promise<void> {
  await Promise.all(crds.map((crd) => write(api, crd, options)));
  await Promise.all(crds.map((crd) => served(api, crd, options)));
}

/** Deletes CRDs and all objects of their kinds, and waits until the CRDs no longer exist. */
export async function uninstallCrds(api: ApiRequests, crds: readonly Crd[], options: PollOptions): Promise<void> {
  await Promise.all(
    crds.map(async ({ metadata }) =>
      expectOk(`delete ${metadata.name}`, api.send("DELETE", objectPath(collection, metadata.name)), 404),
    ),
  );
  await Promise.all(
    crds.map(({ metadata }) =>
      poll(
        options,
        `${metadata.name} still exists`,
        async () => (await api.send("GET", objectPath(collection, metadata.name))).status === 404,
      ),
    ),
  );
}

async function write(api: ApiRequests, crd: Crd, patience: PollOptions): Promise<void> {
  const { before, resourceVersion } = await createOrUpdate(api, collection, crd);
  if (!before || isDeepStrictEqual(conversionOf(before), conversionOf(crd))) return;
  await seen(api, crd, resourceVersion, patience);
}

const conversionOf = ({ spec: { conversion } }: Crd): unknown => [
  conversion?.strategy ?? "None",
  conversion?.webhook?.clientConfig,
];

/**
 * Waits until the server uses a changed conversion. The API does not show which conversion the server uses. Therefore, this function adds a
 * printer column together with the conversion, waits until the column appears, and removes it.
 */
async function seen(api: ApiRequests, crd: Crd, written: string | undefined, patience: PollOptions): Promise<void> {
  const { group, names, versions } = crd.spec;
  const shown = versions.find((version) => version.served);
  if (!shown) return;
  const name = `Marker ${systemRandom.uuid()}`;
  const columns = [...(shown.additionalPrinterColumns ?? []), { name, type: "string", jsonPath: ".kind", priority: 1 }];
  const marked = versions.map((each) => (each === shown ? { ...each, additionalPrinterColumns: columns } : each));
  const withMarker = { ...crd, spec: { ...crd.spec, versions: marked } };
  const resourceVersion = await update(api, collection, withMarker, written);
  await poll(patience, `the conversion webhook for ${crd.metadata.name} is not in use`, async () => {
    const { text } = await api.send("GET", `/apis/${group}/${shown.name}/${names.plural}?limit=1`, undefined, asTable);
    return text.includes(name);
  });
  await update(api, collection, crd, resourceVersion);
}

const asTable = "application/json;as=Table;g=meta.k8s.io;v=v1";

async function served(api: ApiRequests, crd: Crd, options: PollOptions): Promise<void> {
  const { group, names, versions } = crd.spec;
  const paths = versions.filter((version) => version.served).map(({ name }) => `/apis/${group}/${name}`);
  await poll(options, `${crd.metadata.name} is not served`, async () => {
    const groups = await Promise.all(paths.map((path) => api.send("GET", path)));
    if (!groups.every(({ status, text }) => status === 200 && isListed(text, names.plural))) return false;
    // Discovery lists a kind shortly before its storage is ready. Until the storage is ready, requests fail with 429.
    const lists = await Promise.all(paths.map((path) => api.send("GET", `${path}/${names.plural}?limit=1`)));
    return lists.every(({ status }) => status === 200);
  });
}

function isListed(text: string, plural: string): boolean {
  const { resources = [] } = JSON.parse(text) as { resources?: { name: string }[] };
  return resources.some(({ name }) => name === plural);
}
