export { type Certificate, createSelfSigned } from "./net/self-signed.ts";
export { startUpstream, type Upstream, type UpstreamOptions, type UpstreamRecord } from "./upstream.ts";
