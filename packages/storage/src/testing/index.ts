export { type StorageCase, storageContract } from "./storage-contract.ts";
