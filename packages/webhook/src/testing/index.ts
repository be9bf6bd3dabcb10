export { arbitraryOf } from "./arbitrary-of.ts";
export { type RoundTripOptions, roundTrips } from "./round-trips.ts";
