export { FakeClock } from "./fake-clock.ts";
export { SeededRandom } from "./seeded-random.ts";
