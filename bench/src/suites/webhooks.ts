import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CertificateAuthority } from "@kubewright/certificates";
import type { Bench } from "../bench.ts";
import { type Figures, medianRow, type Row } from "../figures.ts";
import { SubjectProcess } from "../subject-process.ts";
import type { WebhookServerName } from "../subjects/spec.ts";
import { type Protocol, ReviewLoad } from "../webhooks/review-load.ts";
import { conversion, defaulting, type Review, validation } from "../webhooks/reviews.ts";

/** Measures the calls per CPU second of a webhook server's whole process, with one client over TLS. */
export async function* webhooks(bench: Bench): AsyncGenerator<Figures> {
  const folder = await mkdtemp(join(tmpdir(), "kubewright-bench-"));
  const { certificate, key } = new CertificateAuthority("bench").issueServer("webhooks", ["127.0.0.1"]);
  await writeFile(join(folder, "tls.crt"), certificate);
  await writeFile(join(folder, "tls.key"), key, { mode: 0o600 });
  const { webhookCalls: calls } = bench.sizes;
  const asked = [
    { title: "validations without change", review: validation(), calls },
    { title: "defaultings with a patch", review: defaulting(), calls },
    { title: "conversions of 100 objects", review: conversion(100), calls: Math.ceil(calls / 20) },
  ];
  try {
    for (const { title, review, calls } of asked)
      for (const protocol of ["HTTP/2", "HTTP/1.1"] as const) yield await figuresOf(title, { review, calls, protocol });
  } finally {
    await rm(folder, { recursive: true });
  }

  async function figuresOf(title: string, asking: Asking): Promise<Figures> {
    return {
      title: `${title}, ${asking.protocol}`,
      columns: [{ title: "per CPU second", digits: 0 }, { title: "peak MiB" }],
      rows: await rowsOf(bench, folder, asking),
      targets: [{ what: "calls", column: 0, against: "controller-runtime", atLeast: 1 }],
    };
  }
}

interface Asking {
  readonly review: Review;
  readonly calls: number;
  readonly protocol: Protocol;
}

async function rowsOf(bench: Bench, certDir: string, { review, calls, protocol }: Asking): Promise<readonly Row[]> {
  const subjects: readonly WebhookServerName[] = bench.goBinary ? ["kubewright", "controller-runtime"] : ["kubewright"];
  const takes = new Map<WebhookServerName, number[][]>(subjects.map((subject) => [subject, []]));
  for (let round = 0; round < bench.sizes.rounds; round++)
    for (const subject of subjects) {
      const port = await freePort();
      await using server = SubjectProcess.start({ role: "webhooks", subject, port, certDir }, bench.goBinary);
      await server.send({ do: "sync" });
      const load = new ReviewLoad(`https://127.0.0.1:${port}`);
      await load.send(review, calls, protocol); // warms up
      await server.send({ do: "count" });
      await load.send(review, calls, protocol);
      const { cpuMicros, peakRssBytes } = await server.measure({ do: "await" });
      load.close();
      takes.get(subject)?.push([calls / (cpuMicros / 1e6), peakRssBytes / 2 ** 20]);
    }
  return [...takes].map(([subject, taken]) => medianRow(subject, taken));
}

function freePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const server = createServer().on("error", reject);
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
  });
  return promise;
}
