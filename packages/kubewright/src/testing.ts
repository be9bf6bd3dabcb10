export { FakeClock } from "@kubewright/clock/testing";
