import type { Clock } from "@kubewright/clock";
import type { ApiAnswer, ApiRequests } from "../bed/api-requests.ts";
import type { Crd } from "./crd-source.ts";

const collection = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const pollMs = 20;

export interface InstallOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
}

/**
 * Creates or updates the definitions and waits until discovery shows all their served versions.
 *
 * @throws {Error} if the server refuses one or does not serve it in time; with the last condition it had
 * @see controller-runtime pkg/envtest InstallCRDs, WaitForCRDs
 */
export async function installCrds(api: ApiRequests, crds: readonly Crd[], options: InstallOptions): Promise<void> {
  await Promise.all(crds.map((crd) => createOrUpdate(api, crd)));
  await Promise.all(crds.map((crd) => served(api, crd, options)));
}

/** Deletes the definitions, with all objects of their kinds, and waits until they are gone. */
export async function uninstallCrds(api: ApiRequests, crds: readonly Crd[], options: InstallOptions): Promise<void> {
  await Promise.all(
    crds.map(({ metadata }) =>
      expectOk(`delete ${metadata.name}`, api.send("DELETE", `${collection}/${metadata.name}`), 404),
    ),
  );
  await Promise.all(
    crds.map(({ metadata }) =>
      poll(
        options,
        `${metadata.name} is still there`,
        async () => (await api.send("GET", `${collection}/${metadata.name}`)).status === 404,
      ),
    ),
  );
}

async function createOrUpdate(api: ApiRequests, crd: Crd): Promise<void> {
  const { name } = crd.metadata;
  const created = await expectOk(`create ${name}`, api.send("POST", collection, crd), 409);
  if (created.status !== 409) return;
  const present = JSON.parse((await expectOk(`get ${name}`, api.send("GET", `${collection}/${name}`))).text) as Crd;
  const { resourceVersion } = present.metadata;
  const metadata = { ...crd.metadata, ...(resourceVersion ? { resourceVersion } : {}) };
  await expectOk(`update ${name}`, api.send("PUT", `${collection}/${name}`, { ...crd, metadata }));
}

async function served(api: ApiRequests, crd: Crd, options: InstallOptions): Promise<void> {
  const { group, names, versions } = crd.spec;
  const paths = versions.filter((version) => version.served).map(({ name }) => `/apis/${group}/${name}`);
  await poll(options, `${crd.metadata.name} is not served`, async () => {
    const groups = await Promise.all(paths.map((path) => api.send("GET", path)));
    if (!groups.every(({ status, text }) => status === 200 && isListed(text, names.plural))) return false;
    // Discovery shows a kind a little before its storage is ready; until then requests are told to come back (429).
    const lists = await Promise.all(paths.map((path) => api.send("GET", `${path}/${names.plural}?limit=1`)));
    return lists.every(({ status }) => status === 200);
  });
}

function isListed(text: string, plural: string): boolean {
  const { resources = [] } = JSON.parse(text) as { resources?: { name: string }[] };
  return resources.some(({ name }) => name === plural);
}

async function poll(
  { clock, timeoutMs }: InstallOptions,
  complaint: string,
  isSo: () => Promise<boolean>,
): Promise<void> {
  const deadline = clock.monotonic() + timeoutMs;
  while (!(await isSo())) {
    if (clock.monotonic() > deadline) throw new Error(`${complaint} after ${timeoutMs} ms`);
    await clock.sleep(pollMs);
  }
}

async function expectOk(what: string, answer: Promise<ApiAnswer>, alsoFine?: number): Promise<ApiAnswer> {
  const { status, text } = await answer;
  if (status >= 400 && status !== alsoFine) throw new Error(`${what}: ${messageIn(text)}`);
  return { status, text };
}

function messageIn(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: string };
    return message ?? text;
  } catch {
    return text; // a page, not a Status
  }
}
