import { type OutsideWorld, simulate, type UserKind } from "@kubewright/simulation";
import { expect, it } from "vitest";
import { CNFNAT } from "../api/cnf-nat.ts";
import { CNFRoute } from "../api/cnf-route.ts";
import { CNFHubSite } from "../api/composite/cnf-hub-site.ts";
import { CNFLocalService } from "../api/composite/cnf-local-service.ts";
import { CNFService } from "../api/composite/cnf-service.ts";

const composites = [CNFHubSite, CNFLocalService, CNFService];
const addresses: Readonly<Record<string, readonly string[]>> = {
  "web.example": ["10.96.0.1", "10.96.0.2"],
  "db.example": ["10.96.0.3"],
  "site.example": ["10.97.0.1", "10.97.0.2", "10.97.0.3"],
};
/** Names with other answers for now: other addresses, or the status of a failure. */
const changed = new Map<string, readonly string[] | number>();

const resolver: OutsideWorld = {
  name: "resolver",
  fetch: (request) => {
    if (!request.url.startsWith("https://dns.example/")) return undefined;
    const name = new URL(request.url).pathname.slice(1);
    const found = changed.get(name) ?? addresses[name] ?? 404;
    return Promise.resolve(typeof found === "number" ? new Response(null, { status: found }) : Response.json(found));
  },
  faults: (random) => {
    const one = <T>(of: readonly T[]): T | undefined => of[Math.floor(random() * of.length)];
    const name = one(Object.keys(addresses)) ?? "";
    const answer = one([["10.99.0.1"], ["10.99.0.2", "10.99.0.3"], 404, 503]) ?? 404;
    changed.set(name, answer);
    return `the answer for ${name} becomes ${answer}`;
  },
  heal: () => changed.clear(),
  reset: () => changed.clear(),
};

const valuesOf = (...specs: readonly object[]): readonly object[] =>
  specs.flatMap((spec) => ["edge", "hub"].map((sdewanPurpose) => ({ metadata: { labels: { sdewanPurpose } }, spec })));

it("maintains the children of composites under the faults of production", { timeout: 900_000 }, async () => {
  const program = new URL("../testing/simulated-composites.ts", import.meta.url);
  const { failure } = await simulate(program, {
    // Without their schemas, so that users replace whole specs by valid ones. A composite whose new values are not valid keeps the children
    // of the former ones on purpose, unlike in a fresh cluster.
    kinds: composites.map(({ crd: _crd, ...kind }): UserKind => kind),
    crds: [...composites, CNFNAT, CNFRoute].map(({ crd }) => crd),
    users: {
      CNFHubSite: valuesOf(
        { type: "Hub", site: "site.example", hubip: "10.9.9.9" },
        { type: "Hub", subnet: "10.77.1.0/24", hubip: "10.9.9.9" },
        { type: "Device", site: "site.example", subnet: "10.77.2.0/24", devicepip: "10.20.0.2" },
      ),
      CNFLocalService: valuesOf(
        { localservice: "web.example", localport: "8080", remoteservice: "db.example", remoteport: "3000" },
        { localservice: "db.example", remoteservice: "site.example", remoteport: "3001" },
      ),
      CNFService: valuesOf(
        { fullname: "web.example", port: "2000", dport: "80" },
        { fullname: "db.example", port: "2001" },
      ),
    },
    world: [resolver],
    seed: 1,
  });
  expect(failure).toBeUndefined();
});
