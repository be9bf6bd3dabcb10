import { expired } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { ListPager } from "./list-pager.ts";
import type { ListPage, ListRequest } from "./lister-watcher.ts";

/** A server of endless pages: each leads to the page that `next` returns. */
function pages(next: (token: number) => number) {
  const requests: ListRequest[] = [];
  const list = async (request: ListRequest): Promise<ListPage<number>> => {
    requests.push(request);
    const token = Number(request.continue ?? 0);
    return { items: [token], metadata: { continue: String(next(token)) } };
  };
  return { list, requests };
}

it("ends with an error when pages lead in a circle", async () => {
  const words = "the server sent the same continue token twice";
  for (const length of [1, 3]) {
    const { list, requests } = pages((token) => 1 + (token % length));
    await expect(new ListPager(list).list()).rejects.toThrow(words);
    expect(requests).toHaveLength(length + 1);
  }
  const { list } = pages(() => 1);
  const visited: number[] = [];
  const visiting = async (): Promise<void> => {
    for await (const item of new ListPager(list).items()) visited.push(item);
  };
  await expect(visiting()).rejects.toThrow(words);
  expect(visited).toEqual([0, 1]);
});

it("asks for no further page once its signal has aborted", async () => {
  const stop = new AbortController();
  const { list, requests } = pages((token) => {
    if (token === 3) stop.abort(new Error("enough"));
    return token + 1;
  });
  await expect(new ListPager(list).list({ signal: stop.signal })).rejects.toThrow("enough");
  expect(requests).toHaveLength(4);
  await expect(new ListPager(list).list({ signal: stop.signal })).rejects.toThrow("enough");
  expect(requests).toHaveLength(4);
});

it("yields nothing after its signal has aborted, even if pages were fetched ahead", async () => {
  for (const pageBufferSize of [0, 5]) {
    const list = async (request: ListRequest): Promise<ListPage<number>> => {
      const token = Number(request.continue ?? 0);
      return { items: [token, token, token], metadata: { continue: String(token + 1) } };
    };
    const pager = new ListPager(list, { pageBufferSize });
    for (const what of ["items", "pages"] as const) {
      const stop = new AbortController();
      let seen = 0;
      const visiting = async (): Promise<void> => {
        for await (const _ of pager[what]({ signal: stop.signal })) {
          await new Promise((resolve) => setImmediate(resolve)); // wait until pages have been fetched ahead
          if (++seen === 2) stop.abort(new Error("enough"));
        }
      };
      await expect(visiting()).rejects.toThrow("enough");
      expect(seen).toBe(2);
    }
  }
});

it("stops fetching ahead when the loop is left", async () => {
  const { list, requests } = pages((token) => token + 1);
  for await (const _ of new ListPager(list, { pageBufferSize: 5 }).pages()) break;
  const asked = requests.length;
  await new Promise((resolve) => setImmediate(resolve));
  expect(requests.length - asked).toBeLessThanOrEqual(1);
  expect(requests.every(({ signal }) => signal?.aborted)).toBe(true);
});

/** A server with this many pages, which have expired from one on. */
function forgetful(count: number, forgottenFrom = Number.POSITIVE_INFINITY) {
  const requests: ListRequest[] = [];
  const list = async (request: ListRequest): Promise<ListPage<number>> => {
    requests.push(request);
    const at = Number(request.continue ?? 0);
    if (request.continue && at >= forgottenFrom) throw expired("the continue token is too old");
    if (!request.limit) return { items: [...Array(count).keys()], metadata: { resourceVersion: "9" } };
    const next = at + 1 < count ? { continue: String(at + 1), remainingItemCount: count - at - 1 } : {};
    return { items: [at], metadata: { resourceVersion: "7", ...next } };
  };
  return { list, requests };
}

it.each([
  [1, false],
  [2, true],
  [4, true],
])("combines %i pages into one list, and reports whether there were several: %s", async (count, isPaginated) => {
  const { list, requests } = forgetful(count);
  const all = await new ListPager(list, { pageSize: 1 }).list();
  expect(all).toEqual({ items: [...Array(count).keys()], metadata: { resourceVersion: "7" }, isPaginated });
  expect(requests).toHaveLength(count);
});

it("requests everything at once when a later page has expired, if allowed", async () => {
  const { list, requests } = forgetful(4, 2);
  const request = { resourceVersion: "5", resourceVersionMatch: "NotOlderThan" } as const;
  const all = await new ListPager(list, { pageSize: 1 }).list(request);
  expect(all).toEqual({ items: [0, 1, 2, 3], metadata: { resourceVersion: "9" }, isPaginated: true });
  expect(requests.at(-1)).toEqual({ ...request, signal: undefined });
  const strict = new ListPager(forgetful(4, 2).list, { pageSize: 1, fullListIfExpired: false });
  await expect(strict.list(request)).rejects.toThrow("too old");
});

it.each([1, 2, 4])("yields %i pages, and ends with the last", async (count) => {
  for (const pageBufferSize of [0, 1, 5]) {
    const { list, requests } = forgetful(count);
    const seen: number[] = [];
    for await (const page of new ListPager(list, { pageSize: 1, pageBufferSize }).pages()) seen.push(...page.items);
    expect(seen).toEqual([...Array(count).keys()]);
    expect(requests).toHaveLength(count);
  }
});

it.each([0, -1, Number.NaN])("refuses a page size of %d, and names the remedy", (pageSize) => {
  const create = () => new ListPager(forgetful(1, 1).list, { pageSize });
  expect(create).toThrow(
    new RangeError(`pageSize must be positive, got ${pageSize}; use Infinity to request all objects at once`),
  );
});
