import { admission, admissionHandler, allowed, refused } from "@kubewright/webhook";
import { describe, expect, it } from "vitest";
import { RunningServer, reviewOf } from "./running-server.ts";
import { Site, siteObject } from "./shop.ts";

const [mutate, validate] = ["/mutate-shop-example-com-v1-site", "/validate-shop-example-com-v1-site"];
const body = reviewOf({ object: siteObject() });
const defaulting = admission(Site).default((site) => {
  site.spec.image ??= "nginx";
});
const validating = admission(Site).validate({ create: () => {} });

const statuses = async (server: RunningServer, ...paths: readonly string[]) =>
  Promise.all(paths.map(async (path) => (await server.post(path, { body })).status));

describe("the webhooks of a kind", () => {
  it("WH-030 are served at a path of its group, version and kind: a defaulter alone", async () => {
    await using server = await RunningServer.start([defaulting]);
    expect(await statuses(server, mutate, validate)).toEqual([200, 404]);
  });

  it("WH-031 are served at a path of its group, version and kind: a validator alone", async () => {
    await using server = await RunningServer.start([validating]);
    expect(await statuses(server, mutate, validate)).toEqual([404, 200]);
  });

  it("WH-032 are served at custom paths instead, which must be valid", async () => {
    const both = defaulting.validate({ create: () => {} }).withOptions({ defaultPath: "/a/b-c_1", validatePath: "/v" });
    await using server = await RunningServer.start([both]);
    expect(await statuses(server, "/a/b-c_1", "/v", mutate, validate)).toEqual([200, 200, 404, 404]);
    for (const defaultPath of ["", "a", "/a/", "//a", "/a b", "/ä", "/a?b"])
      expect(() => defaulting.withOptions({ defaultPath }), defaultPath).toThrow(`the webhook path "${defaultPath}"`);
    expect(() => admissionHandler("/pods/", {}, () => allowed())).toThrow('the webhook path "/pods/"');
  });

  it("WH-033 answer 500 for a programming error", async () => {
    const mistaken = (): never => {
      throw new RangeError("oh");
    };
    await using server = await RunningServer.start([admission(Site).default(mistaken).validate({ create: mistaken })]);
    for (const path of [mutate, validate])
      expect((await server.post(path, { body })).review.response).toMatchObject({
        allowed: false,
        status: { code: 500, message: "panic: oh [recovered]" },
      });
  });

  it("WH-033 answer with a denial if one of their calls failed", async () => {
    const unreachable = (): never => {
      throw new TypeError("fetch failed", { cause: new Error("ECONNREFUSED") });
    };
    await using server = await RunningServer.start([admission(Site).validate({ create: unreachable })]);
    const { review } = await server.post(validate, { body });
    expect(review.response).toMatchObject({ allowed: false, status: { code: 403, message: "fetch failed" } });
  });

  it("WH-034 may refuse deletes, also by user", async () => {
    const opsOnly = admission(Site).validate({
      delete: (_site, { user }) => {
        if (!user.groups.includes("ops")) throw refused("only ops deletes sites");
      },
    });
    await using server = await RunningServer.start([opsOnly]);
    const deleted = async (groups: string[]) => {
      const request = { operation: "DELETE", oldObject: siteObject(), userInfo: { username: "ann", groups } };
      return (await server.post(validate, { body: reviewOf(request) })).review.response;
    };
    expect(await deleted(["dev"])).toMatchObject({
      allowed: false,
      status: { code: 403, reason: "Forbidden", message: "only ops deletes sites" },
    });
    expect(await deleted(["ops"])).toMatchObject({ allowed: true });
  });

  it("WH-035 see the result of a hook for HTTP headers", async () => {
    const builder = admission(Site)
      .validate({
        create: (_site, { values }) => {
          if (values.tenant !== "shop") throw refused(`not ${String(values.tenant)}`);
        },
      })
      .withOptions({ contextFrom: ({ headers }) => ({ tenant: headers["x-tenant"] }) });
    await using server = await RunningServer.start([builder]);
    const from = async (tenant: string) =>
      (await server.post(validate, { body, headers: { "x-tenant": tenant } })).review.response.allowed;
    expect([await from("shop"), await from("other")]).toEqual([true, false]);
  });

  it("WH-036 both exist, each at its path", async () => {
    await using server = await RunningServer.start([defaulting.validate({ create: () => {} })]);
    const [changed, checked] = await Promise.all([server.post(mutate, { body }), server.post(validate, { body })]);
    expect(changed.review.response).toMatchObject({ allowed: true, patchType: "JSONPatch" });
    expect(checked.review.response).toMatchObject({ allowed: true });
    expect(checked.review.response).not.toHaveProperty("patch");
  });

  it("WH-037 that exist already are skipped, together with their configurations", async () => {
    const later = admission(Site).default(() => {
      throw new Error("the second");
    });
    await using server = await RunningServer.start([defaulting, later]);
    expect((await server.post(mutate, { body })).review.response.allowed).toBe(true);
    const [configuration] = server.server.configurations({ url: server.url });
    expect(configuration).toMatchObject({ kind: "MutatingWebhookConfiguration", webhooks: [{}] });
    expect(() => server.server.add(validating.withOptions({ validatePath: mutate }))).toThrow(
      `can't register duplicate path: ${mutate}`,
    );
  });
});
