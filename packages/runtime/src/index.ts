export { createDecoder, type Decoder, type DecoderOptions } from "./dialects/decoder.ts";
export { type DialectName, dialectNames, type Ending } from "./dialects/dialect.ts";
