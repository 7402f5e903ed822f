/**
 * The handwritten code around the generated schema of Cursor's agent interface. Import the messages themselves from
 * `@caret/protocol/agent-api/<file>`, named after the files in `proto`, so a program loads only what it uses.
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
