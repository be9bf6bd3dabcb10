export { FlightRecorder, type FlightRecorderOptions } from "./flight-recorder.ts";
export { RecordingWriter, type RecordingWriterOptions } from "./recording-writer.ts";
