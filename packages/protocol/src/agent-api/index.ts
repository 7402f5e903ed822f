/**
 * What is written by hand around the generated schema of Cursor's agent interface. The messages themselves are imported
 * from `@caret/protocol/agent-api/<file>`, named after the files in `proto`, so that a program loads what it uses.
 */
export { readTextExactly } from "./exact-text.ts";
export { fromValue, fromValueMap, toValue, toValueMap } from "./json-value.ts";
export { AGENT_API_VERSION } from "./schema-version.ts";
export {
  fromSeedArgs,
  fromSeedTool,
  fromSelectedContextBlob,
  toSeedArgs,
  toSeedTool,
  toSelectedContextBlob,
} from "./seed-shapes.ts";
