import { expect, it } from "vitest";
import { ListPager } from "./list-pager.ts";
import type { ListPage, ListRequest } from "./lister-watcher.ts";

/** A server of endless pages: each leads to the one that `next` says. */
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
  const words = "the server gave the same continue token twice";
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

it("fetches nothing ahead any more once its pages are left", async () => {
  const { list, requests } = pages((token) => token + 1);
  for await (const _ of new ListPager(list, { pageBufferSize: 5 }).pages()) break;
  const asked = requests.length;
  await new Promise((resolve) => setImmediate(resolve));
  expect(requests.length - asked).toBeLessThanOrEqual(1);
  expect(requests.every(({ signal }) => signal?.aborted)).toBe(true);
});
