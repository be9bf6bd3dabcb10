export { EventChannel } from "./event-channel.ts";
export { FakeListWatch, type FakeListWatchOptions } from "./fake-list-watch.ts";
