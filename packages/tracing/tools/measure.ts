// Measures the cost of tracing with and without a tracer provider: `npm run measure`.

import { recordSpans } from "../src/testing/record-spans.ts";
import { Tracer } from "../src/tracer.ts";

const tracer = new Tracer("@kubewright/measure");
const work = async (): Promise<number> => 1;
let turns = 0;

/** The pattern that the libraries use. */
const traced = (): Promise<number> => (tracer.isOn ? tracer.within("work", { attributes: { turns } }, work) : work());

async function nanoseconds(times: number, what: () => unknown): Promise<number> {
  const began = process.hrtime.bigint();
  for (turns = 0; turns < times; turns++) await what();
  return Number(process.hrtime.bigint() - began) / times;
}

async function median(times: number, what: () => unknown): Promise<number> {
  const rounds: number[] = [];
  for (let round = 0; round < 9; round++) rounds.push(await nanoseconds(times, what));
  return rounds.sort((a, b) => a - b)[4] ?? Number.NaN;
}

function asked(times: number): number {
  const began = process.hrtime.bigint();
  let on = 0;
  for (let i = 0; i < times; i++) if (tracer.isOn) on++;
  return Number(process.hrtime.bigint() - began) / times + on;
}

asked(1e6);
console.log(`isOn, nothing registered: ${asked(1e8).toFixed(2)} ns`);
const plain = await median(1e6, work);
const off = await median(1e6, traced);
console.log(`an async call: ${plain.toFixed(1)} ns; the same, traced, nothing registered: ${off.toFixed(1)} ns`);
using _recording = recordSpans();
console.log(`the same with spans that are kept in memory: ${(await median(1e4, traced)).toFixed(0)} ns`);
